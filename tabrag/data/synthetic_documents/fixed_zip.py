"""Office files without the time at which they were written: the same content gives the same bytes."""

from __future__ import annotations

import io
import re
import zipfile

_TIME = (2024, 1, 1, 0, 0, 0)
_STAMP = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:)")
_DATE = b"2024-01-01T00:00:00Z"


def fixed(data: bytes) -> bytes:
    """The same package with its dates set to one that never changes, in packages inside it too."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith((".xlsx", ".docx")):
                content = fixed(content)
            elif name == "docProps/core.xml":
                content = _STAMP.sub(rb"\g<1>" + _DATE + rb"\g<3>", content)
            info = zipfile.ZipInfo(name, date_time=_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, content)
    return out.getvalue()
