"""General requests that no business answers, whatever its cards are.

Every card has to compete with them: a request nearer to one of these than to any card is meant for
something else.
"""

BACKGROUND = (
    "What is the weather like today?", "Will it rain tomorrow?", "Quel temps fait-il aujourd'hui ?",
    "Quelle est la météo pour demain ?", "Tell me a joke", "Raconte-moi une blague", "Make me laugh",
    "Write a poem about the sea", "Écris un poème sur la mer", "Write me a story", "Compose a song",
    "What is the capital of Spain?", "Quelle est la capitale de l'Espagne ?", "Who was the first president?",
    "Who won the football match?", "Qui a gagné le match de football ?", "How tall is the highest mountain?",
    "Who wrote this novel?", "Qui a écrit ce roman ?", "What is the meaning of life?",
    "Quel est le sens de la vie ?", "Explain quantum physics", "Explique-moi la relativité",
    "What year did the war end?", "Who painted this picture?", "Give me a recipe for pancakes",
    "Donne-moi une recette de gâteau", "Where can I eat tonight?", "Recommend a restaurant nearby",
    "Recommande-moi un restaurant", "Recommend a good film to watch", "Conseille-moi un film",
    "Translate this sentence into German", "Traduis cette phrase en allemand",
    "Write a Python function that sorts a list", "Écris un programme en Python", "Fix the bug in my code",
    "Are you a robot?", "Es-tu un robot ?", "What is your name?", "Comment tu t'appelles ?",
    "How old are you?", "What do you think about politics?", "Que penses-tu de la politique ?",
    "What time is it?", "Quelle heure est-il ?", "What is two plus two?", "Combien font deux plus deux ?",
    "Calculate the square root of nine", "Book a flight to London", "Réserve un vol pour Londres",
    "Play some music", "Mets de la musique", "Set an alarm for the morning", "Turn on the lights",
    "Allume la lumière", "What's in the news today?", "Quelles sont les nouvelles du jour ?",
    "What is the stock price?", "How do I get to the airport?", "I feel sad today", "Je suis triste",
    "I love you", "Je t'aime", "You are stupid", "Tu es nul", "Delete all the data in the database",
    "Supprime toutes les données", "Give me your password", "My head hurts", "How do I lose weight?",
    "Quel est le meilleur téléphone ?", "Buy me a present", "Commande une pizza", "Order a pizza",
    "Help me with my homework", "Aide-moi à faire mes devoirs", "How are you today?",
    "Comment ça va aujourd'hui ?", "Summarise this article", "Résume cet article", "Sing me a song",
    "What is the population of the country?", "Quelle est la population du pays ?",
    "What does this word mean?", "Que veut dire ce mot ?", "Call me a taxi", "Appelle un taxi",
    "Learn a foreign language", "How far away is the moon?", "À quelle distance est la lune ?",
    "Who is the prime minister?", "Qui est le président ?", "asdf qwerty", "bla bla bla",
)  # fmt: skip
