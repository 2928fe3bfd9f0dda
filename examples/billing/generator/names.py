"""Names that the generator draws from. None contains a word that requests about billing use."""

# These are tables.
# fmt: off
FIRST_NAMES = {
    "fr": (
        "Amélie", "Aurélien", "Bénédicte", "Camille", "Cécile", "Clément", "Élodie", "Éric", "Fabrice",
        "Françoise", "Gaëlle", "Grégoire", "Hélène", "Inès", "Jérôme", "Joël", "Léa", "Loïc", "Maëlle",
        "Nathalie", "Noémie", "Océane", "Rémi", "Solène", "Sébastien", "Thibault", "Valérie", "Yann", "Zoé",
        "Anaïs",
    ),
    "en": (
        "Abigail", "Alistair", "Brendan", "Caitlin", "Desmond", "Eleanor", "Fergus", "Gemma", "Harriet",
        "Imogen", "Jasper", "Katherine", "Leonard", "Mairéad", "Nigel", "Owen", "Philippa", "Quentin",
        "Rosalind", "Siobhán", "Tobias", "Ursula", "Vivian", "Winifred", "Zachary", "Beatrix", "Callum",
        "Daphne", "Edmund", "Freya",
    ),
}

#: The first ones come up more often, so that several customers share a surname.
LAST_NAMES = {
    "fr": (
        "Martin", "Lefèvre", "Bernard", "Garnier", "Bérenger", "Chéreau", "Delaunay", "Evrard", "Fournier",
        "Guérin", "Hébert", "Jégou", "Kerbrat", "Lœuillet", "Mérigot", "Nuñez", "Ozanne", "Péchard",
        "Quéméner", "Rivière", "Saunière", "Tréhout", "Vançon", "Zieliński",
    ),
    "en": (
        "Martin", "O'Connor", "Whitfield", "Ashworth", "Blackwood", "Cholmondeley", "Davenport",
        "Ellsworth", "Fairbanks", "Gallagher", "Hawthorne", "Ingleby", "Kowalski", "Llewellyn", "Müller",
        "Norwood", "Pemberton", "Radcliffe", "Strømberg", "Thackeray", "Underwood", "Vandermeer",
        "Wetherby", "Yardley",
    ),
}

COMPANIES = {
    "fr": (
        "Boulangerie Guérin SARL", "Brasserie du Vieux-Port SAS", "Menuiserie Kerbrat EURL",
        "Pépinières Jégou SAS", "Librairie l'Étoile SARL", "Fromagerie Saunière SARL",
        "Imprimerie Bérenger SA", "Cordonnerie Mérigot", "Hôtel des Ambassadeurs SAS",
        "Chocolaterie Péchard SARL", "Ébénisterie Lœuillet", "Scierie Tréhout SAS",
        "Domaine de la Châtaigneraie SARL", "Verrerie d'Argançon SA", "Garage Évrard SARL",
        "Théâtre des Tilleuls", "Clinique Sainte-Apolline SA", "Poissonnerie Quéméner",
        "Cabinet Delaunay SAS", "Maison Chéreau SARL", "Distillerie Ozanne SAS", "Apiculture Vançon",
        "Forge Rivière SARL", "École Montplaisir",
    ),
    "en": (
        "Ashworth Pottery Ltd", "Blackwood Timber Ltd", "Brindle Bakery Ltd", "Cobalt Dental LLC",
        "Davenport Cycles Inc", "Ellsworth Vineyards LLC", "Fairbanks Optics Inc", "Gallagher Brewing Ltd",
        "Hawthorne Museum", "Ingleby Farm Shop", "Juniper Yoga LLC", "Kestrel Robotics Inc",
        "Larkspur Nursery Ltd", "Llewellyn Woollens Ltd", "Meridian Ceramics plc", "Norwood Dairies Ltd",
        "Pemberton Saddlery Ltd", "Quarrystone Masonry LLC", "Radcliffe Organs Ltd",
        "Saltmarsh Ferries plc", "Thackeray Books Ltd", "Underwood Film Lab Inc", "Wetherby Glassworks Ltd",
        "Yardley Soap Co",
    ),
}

#: language -> (country, currency, cities)
PLACES = {
    "fr": (
        ("FR", "EUR", ("Lyon", "Nantes", "Besançon", "Orléans", "Nîmes", "Brest", "Angoulême")),
        ("FR", "EUR", ("Toulouse", "Strasbourg", "Dijon", "Saint-Étienne", "Le Havre", "Béziers")),
        ("BE", "EUR", ("Liège", "Namur", "Bruxelles")),
        ("CH", "CHF", ("Genève", "Neuchâtel", "Lausanne")),
        ("CA", "CAD", ("Montréal", "Québec", "Trois-Rivières")),
    ),
    "en": (
        ("GB", "GBP", ("Leeds", "Bristol", "Norwich", "Cardiff", "Aberdeen")),
        ("GB", "GBP", ("Sheffield", "Exeter", "Durham", "Belfast")),
        ("US", "USD", ("Portland", "Savannah", "Madison", "Albany", "Tucson")),
        ("IE", "EUR", ("Cork", "Galway", "Limerick")),
        ("CA", "CAD", ("Toronto", "Halifax", "Victoria")),
    ),
}

#: (name, price in euros, cost in euros)
PRODUCTS = (
    ("Oak desk", "420.00", "255.00"), ("Fauteuil ergonomique", "289.00", "171.50"),
    ("Desk lamp", "59.90", "24.30"), ("Étagère murale", "84.50", "41.20"),
    ("Monitor arm", "112.00", "61.75"), ("Tableau blanc", "138.00", "72.40"),
    ("Filing cabinet", "196.00", "118.00"), ("Corbeille à papier", "18.90", "6.85"),
    ("Laptop stand", "46.00", "19.95"), ("Repose-pieds", "34.50", "15.10"),
    ("Acoustic panel", "72.00", "33.60"), ("Vidéoprojecteur", "649.00", "468.00"),
    ("Conference table", "980.00", "611.00"), ("Chaise empilable", "52.00", "27.90"),
    ("Label printer", "129.00", "83.00"), ("Machine à café", "389.00", "274.00"),
    ("Water dispenser", "215.00", "139.00"), ("Porte-manteau", "67.00", "29.40"),
    ("Paper shredder", "154.00", "97.20"), ("Horloge murale", "38.00", "14.75"),
    ("Cable tray", "22.40", "8.10"), ("Tapis de sol", "44.00", "21.00"),
    ("Standing mat", "61.00", "30.50"), ("Plante artificielle", "49.00", "17.20"),
    ("Privacy screen", "78.00", "52.60"), ("Armoire forte", "740.00", "522.00"),
    ("Ring binder box", "26.00", "11.30"), ("Ramette de papier", "6.20", "4.85"),
    ("Ink cartridge", "31.00", "25.90"), ("Stylo plume", "24.00", "9.60"),
)
