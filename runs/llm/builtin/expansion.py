"""Other words for a search that found nothing near: the request without names, and what else it is called.

Words of offices everywhere, in English and French; no business in particular.
"""

from activities.discovery.language import STOP_WORDS, stem
from activities.discovery.masking import mask
from agentapp.kernel.text import words

#: Each line is one thing: who says one of its words may find it under another.
_LINES = """
find search look show list display view get see trouver chercher rechercher afficher montrer voir consulter
create add new make register open creer ajouter nouveau nouvelle enregistrer ouvrir saisir
delete remove cancel erase drop close supprimer effacer annuler enlever retirer clore
change update modify edit correct rename modifier changer corriger actualiser renommer
send mail email forward dispatch envoyer transmettre expedier courriel mel
notify tell inform warn remind prevenir informer avertir signaler relancer rappeler
check verify control inspect verifier controler inspecter
count number many total sum compter nombre combien somme
compare difference comparer ecart
book reserve schedule plan reserver planifier programmer
approve accept validate confirm approuver accepter valider confirmer
assign allocate give attribuer affecter donner
pay payment settle settlement payer paiement reglement regler
refund reimburse reimbursement rembourser remboursement avoir
invoice bill billing facture facturation note
quote estimate offer devis estimation offre
customer client buyer account acheteur compte
supplier vendor provider fournisseur prestataire
employee staff worker colleague person salarie employe collaborateur personnel
leave holiday vacation absence day conge vacances rtt
salary pay wage payroll salaire paie remuneration
order purchase commande achat acheter
stock inventory quantity warehouse inventaire quantite entrepot
delivery shipment parcel shipping livraison expedition colis envoi
price cost rate fee prix cout tarif frais
meeting appointment calendar reunion rendez agenda
report summary overview rapport resume bilan synthese
contract agreement contrat accord
ticket incident issue problem complaint anomalie probleme reclamation panne
document file attachment fichier piece
address phone contact adresse telephone coordonnees
late overdue unpaid due retard echeance impaye
language translate translation langue traduire traduction
date time hour heure horaire
""".strip().splitlines()


def _by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _LINES:
        listed = tuple(line.split())
        for word in listed:
            found[stem(word)] = (*found.get(stem(word), ()), *listed)
    return found


_OTHER_WORDS = _by_stem()
#: A query of more words says less, not more.
_MOST = 24


def expanded(text: str) -> str:
    """Return what `text` asks for, in its own words and in others; empty when it says nothing."""
    own = [word for word in words(mask(text)) if word not in STOP_WORDS and not word.isdigit()]
    others = [other for word in own for other in _OTHER_WORDS.get(stem(word), ())]
    return " ".join(list(dict.fromkeys([*own, *others]))[:_MOST])
