"""Cards of unrelated domains, by which routing is set and measured. None of them ships."""

from runs.llm.base import CardSpec

ACCOUNTS_RECEIVABLE = (
    CardSpec(
        "analyse_customer_relationship", "Analyse a customer relationship",
        "Measure a customer's purchases, payment habits and margin over a period.",
        ("customer analysis", "customer review", "analyse client", "relation client", "bilan client"),
        ("Analyse my relationship with John Doe over the past year", "How has Acme been doing with us since January?",
         "Give me a review of customer Martin for 2024", "Is Dupont a good customer?",
         "Analyse ma relation client avec Jean Durand sur l'année passée", "Fais le bilan du client Martin en 2024",
         "Comment se porte notre relation avec Acme ?", "Est-ce que Dupont est un bon client ?"),
        "To list invoices only.",
    ),
    CardSpec(
        "refund_invoice", "Refund an invoice", "Pay back all or part of a paid invoice to the customer.",
        ("refund", "pay back", "reimburse", "rembourser", "remboursement"),
        ("Refund invoice INV-2025-00123, the item arrived broken", "Give the customer their money back for INV-2025-00099",
         "Reimburse 50 euros on invoice INV-2024-00017", "I need to refund a wrong charge",
         "Rembourse la facture INV-2025-00123, l'article est arrivé cassé", "Il faut rendre son argent au client",
         "Rembourser 20 € sur la facture INV-2025-00042", "Procède au remboursement de cette facture"),
        "To write a credit note without paying money back.",
    ),
    CardSpec(
        "send_payment_reminder", "Send a payment reminder", "Write to a customer whose invoice is overdue.",
        ("reminder", "dunning", "chase a late payment", "relance", "relancer un client"),
        ("Send a reminder for INV-2025-00031", "Chase Acme about the overdue invoice", "Remind the customer to pay",
         "Dunning letter for invoice INV-2025-00007", "Relance le client pour la facture INV-2025-00031",
         "Envoie un rappel de paiement à Martin", "Cette facture est en retard, relance-les", "Écris au client qu'il doit payer"),
    ),
    CardSpec(
        "find_invoices", "Find invoices", "List a customer's invoices by period and state.",
        ("list invoices", "search invoices", "show invoices", "chercher des factures", "liste des factures"),
        ("Show me the unpaid invoices of Acme", "List all invoices of John Doe since March", "Which invoices are overdue?",
         "Find the invoice of last month", "Montre-moi les factures impayées de Martin", "Liste les factures depuis mars",
         "Quelles factures sont en retard ?", "Trouve les factures du mois dernier"),
    ),
    CardSpec(
        "draft_credit_note", "Draft a credit note", "Prepare a credit note against an invoice; no money moves.",
        ("credit note", "credit memo", "avoir", "note de crédit"),
        ("Draft a credit note for INV-2025-00050", "Prepare a credit memo of 30 euros", "Issue a credit against the invoice",
         "Credit note for the returned goods", "Prépare un avoir pour la facture INV-2025-00050",
         "Fais un avoir de 30 euros", "Rédige une note de crédit", "Un avoir pour les articles retournés"),
    ),
    CardSpec(
        "analyse_payment_exception", "Analyse a payment exception",
        "Find out what an unmatched or wrong payment belongs to and recommend what to do.",
        ("unmatched payment", "payment mismatch", "unallocated payment", "paiement non affecté", "écart de paiement"),
        ("What does payment PAY-00012 belong to?", "We received a payment that matches no invoice",
         "Analyse the payment exception PAY-00034", "The customer paid the wrong amount, what now?",
         "À quoi correspond le paiement PAY-00012 ?", "Nous avons reçu un paiement sans facture",
         "Analyse l'écart de paiement PAY-00034", "Le client a payé un mauvais montant"),
    ),
)  # fmt: skip

HELPDESK = (
    CardSpec(
        "reset_password", "Reset a password", "Give a person a new password for one of their accounts.",
        ("password reset", "locked account", "mot de passe oublié", "débloquer un compte"),
        ("I forgot my password", "Reset the password of Ada Byron", "My account is locked", "I can't log in any more",
         "J'ai oublié mon mot de passe", "Réinitialise le mot de passe de Paul", "Mon compte est bloqué",
         "Je n'arrive plus à me connecter"),
    ),
    CardSpec(
        "report_incident", "Report an incident", "Open a ticket for something that is broken or does not work.",
        ("open a ticket", "report a problem", "signaler une panne", "ouvrir un ticket"),
        ("My laptop does not start", "The printer on the second floor is jammed", "Open a ticket: the screen flickers",
         "The VPN keeps disconnecting", "Mon ordinateur ne démarre plus", "L'imprimante est en panne",
         "Ouvre un ticket : l'écran clignote", "Le wifi ne marche pas dans la salle de réunion"),
    ),
    CardSpec(
        "request_equipment", "Request equipment", "Order hardware such as a laptop, a screen or a headset.",
        ("order hardware", "new laptop", "commander du matériel", "demander un équipement"),
        ("I need a second monitor", "Order a headset for the new colleague", "Request a new laptop for Max",
         "Can I get a docking station?", "J'ai besoin d'un deuxième écran", "Commande un casque pour Léa",
         "Demande un nouvel ordinateur portable", "Il me faudrait une souris"),
    ),
    CardSpec(
        "install_software", "Install software", "Have a program installed or its licence assigned.",
        ("software licence", "install a program", "installer un logiciel", "licence logicielle"),
        ("Install Photoshop on my computer", "I need a licence for Visio", "Please set up the accounting program for Ann",
         "Get me the latest version of Excel", "Installe Photoshop sur mon poste", "Il me faut une licence Visio",
         "Ajoute le logiciel de comptabilité pour Anne", "Mets à jour Excel"),
    ),
    CardSpec(
        "ticket_status", "Check a ticket", "Tell where a ticket stands.",
        ("ticket status", "follow up a ticket", "suivi d'un ticket", "état du ticket"),
        ("What is the status of TCK-1042?", "Has anybody looked at my ticket?", "Where does my request stand?",
         "Any news about TCK-77?", "Où en est le ticket TCK-1042 ?", "Quelqu'un s'occupe de mon ticket ?",
         "Où en est ma demande ?", "Des nouvelles du ticket TCK-77 ?"),
    ),
)  # fmt: skip

LEAVE = (
    CardSpec(
        "request_leave", "Request leave", "Ask for days off between two dates.",
        ("holiday request", "time off", "vacation", "demande de congé", "poser des congés"),
        ("I want to take holidays from 1 to 12 August", "Request two days off next week", "Book my vacation in July",
         "I'd like Friday off", "Je voudrais poser des congés du 1er au 12 août", "Demande deux jours de congé",
         "Je prends mes vacances en juillet", "Pose-moi vendredi"),
    ),
    CardSpec(
        "report_sickness", "Report sickness", "Tell that somebody is ill and cannot work.",
        ("sick leave", "call in sick", "arrêt maladie", "absence maladie"),
        ("I am sick today", "I have the flu and stay at home", "Report three days of illness for Tom",
         "My doctor signed me off until Friday", "Je suis malade aujourd'hui", "J'ai la grippe, je reste à la maison",
         "Déclare un arrêt maladie pour Tom", "Mon médecin m'arrête jusqu'à vendredi"),
    ),
    CardSpec(
        "leave_balance", "Show the leave balance", "Say how many days off are left.",
        ("days left", "remaining holidays", "solde de congés", "jours restants"),
        ("How many days off do I have left?", "What is my holiday balance?", "Remaining vacation days of Eva",
         "Did I use up my leave?", "Combien de jours de congé me reste-t-il ?", "Quel est mon solde de congés ?",
         "Jours restants pour Eva", "Ai-je épuisé mes congés ?"),
    ),
    CardSpec(
        "expense_claim", "Claim expenses", "Get travel and meal costs paid back.",
        ("expense report", "travel costs", "note de frais", "frais de déplacement"),
        ("I paid 84 euros for a train ticket", "Claim my taxi to the airport", "Submit the expenses of the trade fair",
         "Reimburse my lunch with a partner", "J'ai payé un billet de train 84 euros", "Rembourse mon taxi",
         "Déposer une note de frais pour le salon", "J'ai avancé le déjeuner"),
    ),
)  # fmt: skip

LIBRARY = (
    CardSpec(
        "reserve_book", "Reserve a book", "Put a title aside for a reader.",
        ("hold a title", "book reservation", "réserver un livre", "mettre de côté"),
        ("Reserve The Stranger for me", "Put the new atlas aside", "I'd like to borrow that novel when it is back",
         "Réserve L'Étranger pour moi", "Mets-moi l'atlas de côté", "Je voudrais emprunter ce roman"),
    ),
    CardSpec(
        "extend_loan", "Extend a loan", "Give a reader more time before a book is due.",
        ("renew a loan", "more time", "prolonger un prêt", "renouveler un emprunt"),
        ("Renew my books", "I need two more weeks for this book", "Can I keep it longer?",
         "Prolonge mon emprunt", "Il me faut deux semaines de plus", "Puis-je le garder plus longtemps ?"),
    ),
    CardSpec(
        "report_lost_book", "Report a lost book", "Tell that a borrowed book was lost or damaged.",
        ("lost item", "damaged book", "livre perdu", "livre abîmé"),
        ("I lost the book I borrowed", "The cover is torn", "My dog ate the dictionary",
         "J'ai perdu le livre emprunté", "La couverture est déchirée", "Signaler un livre abîmé"),
    ),
    CardSpec(
        "register_reader", "Register a reader", "Create a library card for a new reader.",
        ("new library card", "sign up", "inscription", "carte de lecteur"),
        ("I want to become a member", "Make a card for my daughter", "Register Anna Blum as a reader",
         "Je voudrais m'inscrire", "Crée une carte pour ma fille", "Inscrire Anna Blum"),
    ),
)  # fmt: skip
