"""Saying a request in other words, without a model: what was asked, and what else it is called.

The groups are everyday deeds in English and French, not the words of a business. They were written down, not
fitted to a set of requests.
"""

from functools import cache

from activities.discovery.language import STOP_WORDS, stem
from agentapp.kernel.text import words

_GROUPS = """
    find search look locate retrieve chercher trouver rechercher retrouver
    show read view display get see open afficher montrer consulter lire voir
    list every overview enumerate lister liste
    create add new make register creer ajouter nouveau enregistrer ouvrir
    change update edit modify correct fix rename modifier changer corriger
    delete remove erase drop discard supprimer enlever effacer retirer
    stop cancel end terminate abort kill halt annuler arreter interrompre terminer
    start run launch execute begin trigger demarrer lancer executer declencher
    send mail email forward envoyer transmettre expedier
    give return back rendre redonner restituer
    pay settle transfer payer regler
    buy order purchase acheter commander commande
    deliver delivery parcel package shipment colis livraison envoi expedition
    late delay delayed behind overdue outstanding due retard tarde echu
    track follow status progress where suivre suivi statut avancement
    book reserve schedule plan appointment reserver planifier
    meeting event calendar reunion evenement agenda
    approve accept confirm validate authorise approuver accepter valider autoriser
    refuse reject deny decline refuser rejeter
    assign hand allocate attribute attribuer affecter assigner confier
    broken error fault bug issue problem incident panne erreur probleme
    report summary analysis statistics figures rapport synthese statistiques chiffres analyse
    compare difference versus comparer
    count number many much total sum amount compter nombre combien montant somme
    price cost rate fee tariff prix cout tarif
    convert translate turn convertir traduire transformer
    share permission grant invite partager inviter droits
    upload import load attach importer charger joindre
    download export save telecharger exporter sauvegarder
    notify alert warn tell inform remind nudge prevenir alerter avertir informer rappeler
    job task process batch work tache travail traitement
    file document paper record fichier dossier
    address phone contact telephone adresse coordonnees
"""


def expanded(text: str) -> str | None:
    """Return the words of `text` that carry meaning, followed by what else they are called; None for none."""
    said = [word for word in words(text) if word not in STOP_WORDS and len(word) > 1]
    stems = {stem(word) for word in said}
    also = [other for group in _groups() if stems & group.keys() for other in group.values()]
    more = [word for word in dict.fromkeys(also) if stem(word) not in stems]
    return " ".join([*said, *more]) or None


@cache
def _groups() -> tuple[dict[str, str], ...]:
    """Each group as stem → word."""
    lines = (line.split() for line in _GROUPS.strip().splitlines())
    return tuple({stem(word): word for word in line} for line in lines)
