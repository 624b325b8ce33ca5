"""An image-text model looks at pages for a reader: real tiny models, in process and served."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_server import Fault, serve
from noise import noise
from reading import Chat
from tiny_chat import TEMPLATE, save

from tabrag.chat.config import LocalChatConfig, ServerChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts_visual import LABEL
from tabrag.chat.protocol import Picture, Text
from tabrag.config import parse
from tabrag.documents.part import PartId, take_part
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.inference.config import ReaderConfig, VisualConfig
from tabrag.inference.visual import VisualReader, pictures_of
from tabrag.models import tiny_chat
from tabrag.types import Block, Document, Page, Table

QUESTION = "Which colour is the line of 2022?"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("pages")
    paths = [str(folder / f"{number}.png") for number in range(4)]
    for number, path in enumerate(paths):
        noise((30 + 10 * number, 40), 200).convert("RGB").save(path)
    return paths


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> LocalChatConfig:
    folder = tmp_path_factory.mktemp("llava")
    tiny_chat.llava(folder)
    return LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=3000)


def test_a_local_model_sees_the_pictures(local: LocalChatConfig, pictures: list[str]) -> None:
    config = VisualConfig(chat=local, max_new_tokens=6, max_pages=2)
    chat = LocalChat(local)
    asked: list[list[str]] = []

    class Watched(VisualReader):
        @property
        def chat(self) -> LocalChat:
            return chat

    reader = Watched(config)
    generate = chat.generate_batch

    def watched(conversations, **options):  # type: ignore[no-untyped-def]
        asked.extend(
            [part.path for part in one[0].parts if isinstance(part, Picture)] for one in conversations
        )
        return generate(conversations, **options)

    chat.generate_batch = watched  # type: ignore[method-assign]
    notes = reader([(QUESTION, pictures), (QUESTION, []), (QUESTION, pictures[1:2] * 2)])
    assert asked == [pictures[:2], pictures[1:2]]  # the best pages, each once
    assert notes[1] == "" and len(notes) == 3
    assert all(note == "" or note.startswith(f"{LABEL} ") for note in notes) and any(notes)
    assert reader([]) == [] and reader([(QUESTION, ())]) == [""]


def test_a_served_model_sees_the_same(local: LocalChatConfig, pictures: list[str]) -> None:
    questions = [(QUESTION, pictures[:2]), ("What?", pictures[2:3])]
    expected = VisualReader(VisualConfig(chat=local, max_new_tokens=6))(questions)
    with serve(LocalChat(local)) as server:
        served = ServerChatConfig(url=server.url, model="tiny", retries=0)
        assert VisualReader(VisualConfig(server=served, max_new_tokens=6))(questions) == expected
        sent = server.chats[-1].body["messages"][0]["content"]
        assert any(part["type"] == "image_url" for part in sent)
        server.fault = lambda number, body: Fault(status=400) if "image_url" in str(body) else None
        with pytest.raises(UserError, match=r"reader\.visual: .*Serve an image-text model"):
            VisualReader(VisualConfig(server=served))([(QUESTION, pictures[3:])])


def test_a_model_of_texts_is_refused(tmp_path: Path, pictures: list[str]) -> None:
    folder = save(tmp_path, "qwen", template=TEMPLATE, positions=4096)
    chat = LocalChatConfig(model=str(folder), device="cpu")
    with pytest.raises(UserError, match="reads text alone: name an image-text model"):
        VisualReader(VisualConfig(chat=chat))([(QUESTION, pictures)])
    with pytest.raises(UserError, match="reads text alone"):
        VisualReader(VisualConfig(chat=chat)).open()


@pytest.mark.parametrize(
    "reply",
    [
        "nothing",
        "Nothing.",
        "**Nothing**",
        "",
        "nothing is found",
        "There is nothing relevant",
        "The pictures show nothing about it.",
        "There is nothing about it.",
        "Nothing that helps.",
        "The pages contain no information about the colour.",
        "Not answerable",
        "The question cannot be answered from the pictures.",
        "No relevant information found.",
    ],
)
def test_replies_that_say_nothing_are_dropped(reply: str) -> None:
    assert VisualReader(VisualConfig(), chat=Chat(reply))([(QUESTION, ["p.png"])]) == [""]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reply",
    [
        "The line is\nred.",
        "Nothing Hill sold 12 %.",
        "None of the lines falls.",
        "Nothing about 2021; 40 in 2022.",
    ],
)
def test_others_get_a_label(reply: str) -> None:
    chat = Chat(reply)
    (note,) = VisualReader(VisualConfig(), chat=chat)([(QUESTION, ["p.png"])])  # type: ignore[arg-type]
    assert note == f"{LABEL} {' '.join(reply.split())}"
    picture, text = chat.asked[0][0].parts
    assert picture == Picture("p.png") and isinstance(text, Text) and f"Question: {QUESTION}" in text.text


def test_settings() -> None:
    made = VisualReader(VisualConfig()).settings()
    assert made["max_pages"] == 10 and made["chat"]["model"] and "device" not in made["chat"]
    server = ServerChatConfig(url="http://x/v1", model="m")
    served = VisualReader(VisualConfig(server=server, max_pages=4)).settings()
    assert served["chat"]["model"] == "m" and "url" not in served["chat"] and served != made
    for name in ("max_pages", "max_new_tokens"):
        with pytest.raises(UserError, match=rf"reader\.visual\.{name} is 0"):
            VisualReader(VisualConfig(**{name: 0}))
    config = parse(ReaderConfig, ["--visual.server.url=http://x/v1", "--visual.server.model=m"])
    assert config.visual == VisualConfig(server=server) and parse(ReaderConfig, []).visual is None


def test_pictures_of_parts() -> None:
    def chart(page: int | None, image: str, *, decoration: bool = False) -> Block:
        return Block(kind="picture", page=page, image=image, decoration=decoration)

    report = Document(
        id="a",
        pages=[Page(number=number, image=f"p{number}.png") for number in (1, 2, 3)],
        blocks=[Block(kind="text", page=2), chart(2, "c2.png"), chart(3, "logo.png", decoration=True)],
    )
    web = Document(id="b", blocks=[chart(None, "w.png"), Block(kind="text", text="x")])
    items = [WholeDocument(report, {}), Table(id="t", image="t.png"), WholeDocument(web, {})]
    assert pictures_of([*items, items[0]], lambda path: f"/data/{path}") == [
        "/data/p2.png", "/data/p3.png", "/data/w.png", "/data/c2.png",
    ]  # fmt: skip


def test_a_page_without_text_has_its_picture_all_the_same() -> None:
    pages = [Page(number=1), Page(number=2, image="pages/2.png")]
    whole = WholeDocument(Document(id="d", pages=pages, blocks=[Block(kind="text", text="A.", page=1)]), {})
    scan = take_part(whole, PartId("d", page=2))
    assert scan.units == ()
    assert pictures_of([scan], lambda path: path) == ["pages/2.png"]
