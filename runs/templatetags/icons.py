"""The product's icons: outlines on a 24-unit grid, drawn with the text's colour."""

# ruff: noqa: E501 - path data

from collections.abc import Mapping

ICONS: Mapping[str, str] = {
    "alert": "M12 9v4m0 3.5v.5M10.3 4.2 2.9 17a2 2 0 0 0 1.7 3h14.8a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z",
    "arrow": "M5 12h14m-6-6 6 6-6 6",
    "back": "M19 12H5m6 6-6-6 6-6",
    "chat": "M4 5h16v11H9l-5 4V5Z",
    "check": "m5 12.5 4.5 4.5L19 7.5",
    "clock": "M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
    "close": "M6 6l12 12M18 6 6 18",
    "cloud": "M3 3l18 18M9 6.2A6 6 0 0 1 17.7 10 4.5 4.5 0 0 1 20 17.5M16 19H7a5 5 0 0 1-1.2-9.8",
    "copy": "M9 9h10v11H9zM15 9V4H5v11h4",
    "down": "m6 9 6 6 6-6",
    "fact": "M5 4h10l4 4v12H5zM9 12h6m-6 4h6",
    "hand": "M12 3v10M8 5.5V13M16 5.5V14m0-3.5a2 2 0 0 1 4 0V15a6 6 0 0 1-6 6h-1.5a6 6 0 0 1-4.8-2.4L4 14.5c1-1.5 2.6-1 4 .5",
    "inbox": "M4 13.5 6.5 5h11L20 13.5V19H4zm0 0h5l1 2.5h4l1-2.5h5",
    "leave": "M14 4h5v16h-5M10 8l-4 4 4 4m-4-4h9",
    "list": "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
    "menu": "M4 7h16M4 12h16M4 17h16",
    "minus": "M6 12h12",
    "moon": "M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z",
    "person": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-3.6 3.4-5 7-5s6.4 1.4 7 5",
    "plus": "M12 5v14M5 12h14",
    "question": "M9.5 9.5a2.6 2.6 0 1 1 3.6 2.4c-.8.4-1.1 1-1.1 1.9m0 3v.2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
    "search": "m20 20-4.5-4.5M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z",
    "seal": "M5 19V7.5l7 6 7-6V19",
    "send": "M12 19V5m-6 6 6-6 6 6",
    "stop": "M7 7h10v10H7z",
    "sun": "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-13v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4",
    "tools": "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3 2.5-2.5Z",
}
