"""A sample business application: billing. It uses Mandate through its public tool API only."""
