"""Found parts as a reader gets them: whole, once, in the order of the document, within the budget."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from tabrag.chat.protocol import Picture
from tabrag.documents.part import DocumentPart, PartId, node_part, parse_part_id, take_part
from tabrag.documents.units import units_of
from tabrag.documents.whole import WholeDocument
from tabrag.inference.assemble import assemble
from tabrag.inference.config import ContextConfig
from tabrag.tables.grid import make_grid
from tabrag.tables.subtable import subtable
from tabrag.types import Block, Document, Page, Table

GRID = make_grid(
    [["region", "2019", "2020"], ["north", "11", "12"], ["south", "13", "14"]],
    num_header_rows=1,
    num_header_cols=1,
)
TABLE = Table(id="d#t1", title="Cattle", grid=GRID, document="d")
FARM = WholeDocument(
    Document(
        id="d",
        title="Farm",
        pages=[Page(number=n, image=f"pages/d/{n}.png") for n in (1, 2)],
        blocks=[
            Block(kind="heading", text="Weather", level=1, page=1),
            Block(kind="text", text="Rain fell in May. Sun came in June. Snow came in December.", page=1),
            Block(kind="picture", image="images/d/logo.png", page=1, decoration=True),
            Block(kind="text", text="The herd grew.", page=1),
            Block(kind="heading", text="Herd", level=1, page=2),
            Block(kind="table", table="d#t1", page=2),
            Block(kind="picture", text="a chart of cows", image="images/d/2.png", page=2),
            Block(kind="text", text="Ms Lee owns it.", page=2),
        ],
    ),
    {"d#t1": TABLE},
)
WIDE = ContextConfig(mode="whole", max_tokens=10_000)


def part(item_id: str):
    found = parse_part_id(item_id)
    assert found is not None
    return take_part(FARM, found)


def pieces(*items, config: ContextConfig = WIDE, pictures: bool = False, question: str = "cows?"):
    made = assemble(
        list(items), question, config=config, picture_path=(lambda path: f"/{path}") if pictures else None
    )
    assert len(made) == 1
    return list(made[0][1].pieces)


def test_parts_stand_in_the_order_of_the_document_and_sentences_once():
    assert [unit.text for unit in units_of(FARM.document)][1:4] == [
        *("Rain fell in May.", "Sun came in June.", "Snow came in December.")
    ]
    found = pieces(part("d#u10-10"), part("d#u2-3"), part("d#u3-4"))
    assert found == [
        "[page 1]",
        "[section: Weather]",
        "Rain fell in May. Sun came in June. Snow came in December.",
        "...",
        "[page 2]",
        "[section: Herd]",
        "Ms Lee owns it.",
    ]


def test_tables_and_pictures_stand_where_they_belong_and_logos_nowhere():
    found = pieces(part("d#u4-10"), pictures=True)
    assert found == [
        "[page 1]",
        "[section: Weather]",
        "Snow came in December.",
        "The herd grew.",
        "[page 2]",
        "# Herd",
        "Cattle\n| region | 2019 | 2020 |\n| --- | --- | --- |\n| north | 11 | 12 |\n| south | 13 | 14 |",
        Picture("/images/d/2.png"),
        "[picture: a chart of cows]",
        "Ms Lee owns it.",
    ]


def test_pages_are_shown_as_pictures_where_the_settings_say_so():
    config = ContextConfig(mode="whole", max_tokens=10_000, pictures="pages")
    found = pieces(part("d#p2"), part("d#p1"), config=config, pictures=True)
    assert [one.path for one in found if isinstance(one, Picture)] == ["/pages/d/1.png", "/pages/d/2.png"]


def test_pictures_stand_where_they_are_when_there_is_none_of_their_page():
    config = ContextConfig(mode="whole", max_tokens=10_000, pictures="pages")
    document = replace(FARM.document, pages=[Page(number=1, image="pages/d/1.png"), Page(number=2)])
    wanted = parse_part_id("d#u1-10")
    assert wanted is not None
    found = pieces(take_part(WholeDocument(document, FARM.tables), wanted), config=config, pictures=True)
    assert [one.path for one in found if isinstance(one, Picture)] == ["/pages/d/1.png", "/images/d/2.png"]


def test_refined_tables_are_shown_as_they_are_left():
    refined = {"d#t1": subtable(GRID, [2], [2])}
    ((_, text),) = assemble([part("d#p2")], "cows?", refined=refined, config=WIDE)
    assert "| south | 14 |" in text.text
    assert "north" not in text.text
    assert text.tables["d#t1"].rows == (0, 2)


def test_summaries_stand_at_the_end():
    node = node_part(FARM, PartId("d", node=9), "Rain, sun and snow.")
    found = pieces(node, part("d#u10-10"))
    assert found[-2:] == ["Ms Lee owns it.", "[summary] Rain, sun and snow."]
    assert pieces(node) == ["[summary] Rain, sun and snow."]


def test_what_does_not_fit_whole_gives_its_best_units():
    config = ContextConfig(mode="whole", max_tokens=12)
    found = pieces(part("d#u1-4"), config=config, question="When did snow come?")
    assert "Snow came in December." in " ".join(map(str, found))
    assert "Rain" not in " ".join(map(str, found))


def test_the_best_part_has_the_room_first():
    config = ContextConfig(mode="whole", max_tokens=9)
    found = pieces(part("d#u10-10"), part("d#u2-4"), config=config, question="snow in December")
    assert [one for one in found if "Lee" in str(one)]
    assert not [one for one in found if "Snow" in str(one)]


def test_a_long_part_leaves_room_for_the_next():
    cows = " ".join(f"Cow {name} eats grass." for name in "ABCDEFGHIJKL")
    blocks = [Block(kind="text", text=cows, page=1), Block(kind="text", text="Ms Lee owns it.", page=2)]
    whole = WholeDocument(Document(id="d", title="Farm", blocks=blocks), {})
    cow_page, lee_page = (take_part(whole, PartId("d", page=number)) for number in (1, 2))
    config = ContextConfig(mode="whole", max_tokens=74)

    def text(*parts: DocumentPart) -> str:
        ((_, shown),) = assemble(list(parts), "Who owns the cows?", config=config)
        return shown.text

    assert "Ms Lee owns it." in text(cow_page, lee_page)
    assert text(cow_page, lee_page).count("eats grass") > 7, "what room is left goes to the long part"
    assert text(cow_page, lee_page).count("...") == 1, "sentences that follow each other stand together"


def test_a_picture_of_a_part_that_is_cut_counts_with_its_caption():
    blocks = [
        Block(kind="text", text="Milk is white. Cows eat grass.", page=1),
        Block(kind="picture", image="images/d/2.png", page=1),
        Block(kind="caption", text="Figure 1: yield by month", page=1),
    ]
    document = Document(id="d", title="Farm", blocks=blocks)
    chunk = take_part(WholeDocument(document, {}), PartId("d", units=(1, 4)))
    config = ContextConfig(mode="whole", max_tokens=22)
    found = pieces(chunk, config=config, pictures=True, question="In which month was the yield best?")
    assert found == ["[page 1]", Picture("/images/d/2.png"), "[picture]"]


def test_a_part_that_is_cut_names_the_section_of_what_is_left():
    config = ContextConfig(mode="whole", max_tokens=23)
    whole = part("d#u1-10")
    assert whole.section == () and whole.sections[-1] == ("Herd",)
    found = pieces(whole, config=config, question="Who is Ms Lee, who owns it?")
    assert found == ["[page 2]", "[section: Herd]", "Ms Lee owns it."]


def test_a_section_is_named_once_for_several_gaps():
    found = pieces(part("d#u2-2"), part("d#u4-4"), part("d#u10-10"))
    assert [one for one in found if str(one).startswith("[section")] == [
        "[section: Weather]",
        "[section: Herd]",
    ]
    assert found.count("...") == 2


def test_a_page_without_text_is_shown_by_its_picture():
    whole = WholeDocument(
        replace(FARM.document, pages=[*FARM.document.pages, Page(number=3, image="pages/d/3.png")]),
        FARM.tables,
    )
    scan = take_part(whole, PartId("d", page=3))
    assert scan.units == ()
    config = ContextConfig(mode="whole", max_tokens=10_000, pictures="pages")
    assert pieces(scan, config=config, pictures=True) == ["[page 3]", Picture("/pages/d/3.png")]
    ((_, text),) = assemble(
        [scan, take_part(whole, PartId("d", page=2))], "?", config=config, picture_path=lambda path: path
    )
    assert text.pages == (2, 3)
    assert [one.path for one in text.pieces if isinstance(one, Picture)] == ["pages/d/2.png", "pages/d/3.png"]
    assert assemble([scan], "?", config=config) == [], "nothing to show for a model that sees no pictures"
    small = replace(config, max_tokens=1)
    made = assemble([scan, part("d#u2-2")], "rain", config=small)
    assert "Rain fell in May." in made[0][1].text, "it does not take the place of the first part"


@given(
    st.lists(st.tuples(st.integers(1, 10), st.integers(0, 4)), min_size=1, max_size=5), st.integers(1, 120)
)
@example(spans=[(9, 0), (1, 3)], budget=92)
@example(spans=[(10, 0), (2, 4)], budget=83)
def test_the_budget_holds_but_for_one_unit(spans: list[tuple[int, int]], budget: int):
    parts = [part(f"d#u{first}-{min(first + more, 10)}") for first, more in spans]
    config = ContextConfig(mode="whole", max_tokens=budget)
    made = assemble(parts, "snow", config=config, num_tokens=len)
    said = [piece for _, text in made for piece in text.pieces if isinstance(piece, str)]
    own = [piece for piece in said if not piece.startswith(("[page", "[section", "..."))]
    wanted = {unit.text for one in parts for unit in one.units if unit.text}
    whole = len("\n".join(said))
    assert len(own) <= 1 or whole <= budget
    assert whole <= budget or sum(text in own[0] for text in wanted) <= 1
