"""Images beside a problem: decoded, capped, and written anew as PNG, so that nothing but pixels is kept."""

import io
import warnings

from PIL import Image

from app.errors import InvalidInput
from app.words import gettext, human_number

MAX_PIXELS = 20_000_000
FORMATS = ("PNG", "JPEG", "WEBP")
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
# Pictures as well, and no tables; an SVG is a document that may hold scripts.
NOT_TAKEN = (".svg", ".svgz", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".heif", ".ico")


def clean_png(data: bytes, name: str) -> bytes:
    """The same picture as a fresh PNG; InvalidInput when it is none, or too large."""
    with warnings.catch_warnings():
        # Pillow only warns of a picture that unfolds to gigabytes; the check below refuses it.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise InvalidInput(
                        gettext(
                            "%(name)s: the image has more than %(max_pixels)s pixels.",
                            name=name,
                            max_pixels=human_number(MAX_PIXELS),
                        )
                    )
                mode = "RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB"
                return _png(image.convert(mode))
        except (Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
            raise InvalidInput(
                gettext("%(name)s: this is no PNG, JPEG or WebP image that can be read.", name=name)
            ) from error


def _png(image: Image.Image) -> bytes:
    image.info = {}  # no texts, no profiles, no places where a camera was
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()
