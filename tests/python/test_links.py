"""Links between the pages of the documentation are valid."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def anchor(heading):
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_links_have_a_target():
    pages = [path.resolve() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]]
    anchors = {page: {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(), flags=re.M)} for page in pages}
    broken = []
    count = 0
    for page in pages:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if "://" in link:
                continue
            count += 1
            path, _, place = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (place and place not in anchors.get(target, {place})):
                broken.append(f"{page.name}: {link}")
    assert not broken
    assert count > 100
