from tests.api.conftest import alice_user, demo, seeded

__all__ = ["alice_user", "demo", "seeded"]
