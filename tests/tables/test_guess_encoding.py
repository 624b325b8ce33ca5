"""Short texts of many languages in the encodings that programs wrote them in."""

from __future__ import annotations

import pytest

from tabrag.tables.decode import decode
from tabrag.tables.guess_encoding import guess_encoding

TEXTS = {
    "German": ("Land;Größe\nÖsterreich;Müller\n", "cp1252 mac_roman cp850"),
    "French": ("Région;Année\nÎle-de-France;été\nCréteil;forêt\n", "cp1252 mac_roman"),
    "Portuguese": ("Região;População\nSão Paulo;ação\n", "cp1252"),
    "Danish": ("Årstal;Størrelse\nKøbenhavn;Ærø\n", "cp1252"),
    "of many lands": ("Köln;Málaga\nÅrhus;São Paulo\nNîmes;Besançon\n", "cp1252"),
    "in capitals": ("GRÖSSE;ÜBER\nÄNDERUNG;1\n", "cp1252"),
    "a heading": ("# Größe\n\nÖl\n", "cp1252"),
    "one letter": ("é;1\n", "cp1252"),
    "signs alone": ("t;20 °C\nx;5 ± 2 µm\ny;£5 – “ok”\n", "cp1252"),
    "Polish": ("Województwo;Ludność\nŁódzkie;2466\nŚląskie;4533\n", "cp1250"),
    "Czech": ("Kraj;Počet obyvatel\nJihočeský;644083\nPlzeňský;589899\n", "cp1250"),
    "Hungarian": ("Megye;Népesség\nGyőr-Moson-Sopron;467\nSümeg;gyűrű\n", "cp1250"),
    "Romanian": ("Judeţ;Populaţie\nIaşi;300\nBraşov;200\n", "cp1250"),
    "Turkish": ("İl;Nüfus\nİstanbul;15000\nŞanlıurfa;2100\nMuğla;1000\n", "cp1254"),
    "Lithuanian": ("Šiauliai;Panevėžys\nKlaipėda;ąžuolų\n", "cp1257"),
    "Russian": ("Регион;Население\nМосква;12000\nОмск;1100\n", "cp1251 koi8_r cp866"),
    "Greek": ("Περιοχή;Πληθυσμός\nΑθήνα;3000\n", "cp1253"),
    "Hebrew": ("עיר;אוכלוסייה\nירושלים;900\n", "cp1255"),
    "Arabic": ("المدينة;السكان\nالقاهرة;9500\n", "cp1256"),
    "Thai": ("จังหวัด,ประชากร\nกรุงเทพ,5600\n", "cp874"),
    "Chinese": ("名称,值\n北京,1\n上海,2\n", "gb18030"),
    "Chinese of Taiwan": ("縣市,人口\n臺北市,2500\n", "big5"),
    "Japanese": ("都道府県,データ\n東京都,テスト\n", "cp932 euc_jp"),
    "one Japanese sign": ("name,値\na,1\n", "cp932"),
    "Korean": ("지역,인구\n서울특별시,9400\n", "cp949"),
}
CASES = [(name, encoding) for name, (_, encodings) in TEXTS.items() for encoding in encodings.split()]


@pytest.mark.parametrize(("name", "encoding"), CASES)
def test_short_texts_are_read_as_they_were_written(name: str, encoding: str) -> None:
    text = TEXTS[name][0]
    data = text.encode(encoding)
    with pytest.raises(UnicodeDecodeError):
        data.decode("utf-8")
    assert decode(data)[0] == text


def test_letters_that_come_late_in_a_long_file_count() -> None:
    data = b"a,b\n" * 100_000 + "東京都,データ\n".encode("cp932")
    assert guess_encoding(data) == "cp932"


def test_what_spells_nothing_is_western() -> None:
    assert guess_encoding(b"\xc0") == guess_encoding(b"") == "cp1252"
