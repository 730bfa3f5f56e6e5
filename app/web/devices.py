"""What a browser says of itself, put so that its owner knows it again in a list; never believed for anything else."""

from fastapi import Request

# The first that is named counts: browsers also name those that they descend from.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def device_of(request: Request) -> str:
    """Browser and system, such as "Firefox, Linux"; empty when neither is known."""
    agent = request.headers.get("user-agent", "")
    return ", ".join(name for names in (BROWSERS, SYSTEMS) if (name := _first(names, agent)))


def _first(names: dict[str, str], agent: str) -> str:
    return next((name for mark, name in names.items() if mark in agent), "")
