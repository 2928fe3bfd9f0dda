"""The interpreter's few sentences, in both languages. Everything else a person reads is somebody else's."""

from collections.abc import Sequence

from runs.llm.base import FieldSpec, FieldType

_ASK = {
    "en": {
        FieldType.REFERENCE: "Which {label} do you mean?",
        FieldType.DATE: "Which date should I use for “{label}”?",
        FieldType.PERIOD: "Which period should I use for “{label}”?",
        FieldType.BOOLEAN: "Yes or no: {label}?",
        FieldType.CHOICE: "Which value should I use for “{label}”? {choices}",
    },
    "fr": {
        FieldType.REFERENCE: "De quel élément s’agit-il pour « {label} » ?",
        FieldType.DATE: "Quelle date dois-je retenir pour « {label} » ?",
        FieldType.PERIOD: "Quelle période dois-je retenir pour « {label} » ?",
        FieldType.BOOLEAN: "Oui ou non : {label} ?",
        FieldType.CHOICE: "Quelle valeur dois-je retenir pour « {label} » ? {choices}",
    },
}
_ASK_OTHER = {"en": "What should I use for “{label}”?", "fr": "Que dois-je retenir pour « {label} » ?"}
_REFUSED = {
    "en": "What I tried was refused, and nothing new has been learned since: {refusal}",
    "fr": "Ce que j’ai tenté a été refusé, et rien de nouveau n’est apparu depuis : {refusal}",
}
_STUCK = {
    "en": "None of this step’s tools can be called with what is known.",
    "fr": "Aucun outil de cette étape ne peut être appelé avec ce qui est connu.",
}
_WHICH = {"en": "Which of these do you mean: {names}?", "fr": "Que voulez-vous dire : {names} ?"}
_OTHERWISE = {
    "en": "I find nothing here that does this. Can you say in other words what should be done?",
    "fr": "Je ne trouve rien ici qui fasse cela. Pouvez-vous dire autrement ce qu’il faut faire ?",
}
_NONE = {
    "en": "Nothing that this step may use does what is asked.",
    "fr": "Rien de ce que cette étape peut utiliser ne fait ce qui est demandé.",
}


def ask_for(field: FieldSpec, language: str) -> str:
    """The question for one missing value."""
    templates = _ASK.get(language, _ASK["en"])
    template = templates.get(field.type) or _ASK_OTHER.get(language, _ASK_OTHER["en"])
    label = field.label or field.name.replace("_", " ")
    choices = ", ".join(choice.labels[0] if choice.labels else choice.value for choice in field.choices[:8])
    return template.format(label=label, choices=choices).strip()


def refused(refusal: str, language: str) -> str:
    return _REFUSED.get(language, _REFUSED["en"]).format(refusal=refusal)


def stuck(language: str) -> str:
    return _STUCK.get(language, _STUCK["en"])


def which_of(names: Sequence[str], language: str) -> str:
    return _WHICH.get(language, _WHICH["en"]).format(names=", ".join(names[:5]))


def say_otherwise(language: str) -> str:
    return _OTHERWISE.get(language, _OTHERWISE["en"])


def none_fits(language: str) -> str:
    return _NONE.get(language, _NONE["en"])
