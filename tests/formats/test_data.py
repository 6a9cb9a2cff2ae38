"""Files of data: JSON, XML, tables in them; values stand beside their names, under where they belong."""

import json

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted


def read(source: str | bytes, name: str) -> Extracted:
    return reading.read_whole(source.encode() if isinstance(source, str) else source, name)


def text(source: str | bytes, name: str) -> str:
    return "\n".join(page.text for page in read(source, name).pages)


# --- JSON ---


def test_values_stand_with_their_names_under_the_path_of_what_they_belong_to() -> None:
    made = {
        "name": "harbour",
        "database": {"host": "db.example.org", "pool": {"size": 20, "idle": 4, "recycle": None}, "port": 5432},
        "tags": ["tides", "quays"],
        "enabled": True,
    }
    assert text(json.dumps(made), "a.json") == (
        "name: harbour\ntags: tides, quays\nenabled: true\n\n"
        "database\ndatabase / host: db.example.org\ndatabase / port: 5432\n\n"
        "database / pool\ndatabase / pool / size: 20\ndatabase / pool / idle: 4\ndatabase / pool / recycle: null"
    )


def test_headings_and_lines_are_blocks() -> None:
    [page] = read('{"a": {"b": 1, "c": 2, "d": 3}}', "a.json").pages
    assert [(block.kind, page.text[block.start : block.end]) for block in page.blocks] == [
        ("heading", "a"), ("paragraph", "a / b: 1"), ("paragraph", "a / c: 2"), ("paragraph", "a / d: 3"),
    ]  # fmt: skip
    assert page.headings == ((0, "a"),)


def test_records_are_lines_and_larger_ones_have_headings() -> None:
    short = [{"name": "Ada", "born": 1815}, {"name": "Charles", "born": 1791}]
    assert text(json.dumps({"people": short}), "a.json") == "people\nname: Ada; born: 1815\nname: Charles; born: 1791"
    long = [{"id": number, "note": "word " * 80, "of": {"a": 1, "b": 2, "c": 3}} for number in range(2)]
    assert "notes / 2\nnotes / 2 / id: 1" in text(json.dumps({"notes": long}), "a.json")


def test_numbers_stay_as_they_are_written() -> None:
    digits = "9" * 5_000
    shown = text(f'{{"a": 1.50, "b": 1e3, "c": {digits}}}', "a.json")
    assert shown.startswith("a: 1.50\nb: 1e3\nc: 9")
    assert shown.count("9") == 5_000


def test_a_list_of_flat_objects_is_a_table() -> None:
    rows = [{"city": "Oslo", "units": 12}, {"city": "Bergen", "units": 30}, {"city": "Bodø", "price": 1.5}]
    extracted = read(json.dumps(rows), "a.json")
    assert extracted.kind == "csv"
    [table] = extracted.tables
    assert [(column.name, column.kind) for column in table.columns] == [
        ("city", "text"), ("units", "number"), ("price", "number"),
    ]  # fmt: skip
    assert "city: Bodø; price: 1.5" in extracted.pages[0].text
    lines = "\n".join(map(json.dumps, rows))
    assert read(lines, "a.jsonl").pages == extracted.pages


def test_json_lines_of_any_shape() -> None:
    assert text('{"a": {"b": 1}}\n\n[2, 3]\n"four"\n', "a.jsonl") == "a / b: 1\n2, 3\nfour"


@pytest.mark.parametrize("source", ['{"a": 1,}', "// remark\n{}", "plain words", "[" * 100_000 + "]" * 100_000])
def test_what_is_no_json_is_read_as_it_is(source: str) -> None:
    assert text(source, "a.json").replace("\n", "") == source.replace("\n", "")


def test_matrices_are_rows() -> None:
    source = '{"points": [[1, 2], [3, 4.0], [5, 6]], "name": "quay"}'
    assert text(source, "a.json") == "name: quay\n\npoints\npoints: 1, 2\npoints: 3, 4.0\npoints: 5, 6"


def test_other_encodings() -> None:
    assert text('{"straße": "größer"}'.encode("utf-16"), "a.json") == "straße: größer"
    assert text("{}", "a.json") == "{}"


# --- XML ---


def test_an_invoice_reads_well() -> None:
    source = """<?xml version="1.0"?><ubl:Invoice xmlns:ubl="urn:u" xmlns:cbc="urn:c"><cbc:ID>7</cbc:ID>
    <Party><PostalAddress><CityName>Kiel</CityName><StreetName>Kai 1</StreetName><PostalZone>24103</PostalZone>
    <Country><IdentificationCode>DE</IdentificationCode></Country></PostalAddress></Party>
    <TaxTotal><TaxAmount currencyID="EUR">22.04</TaxAmount></TaxTotal>
    <InvoiceLine><Note>one</Note><A>1</A><B>2</B><C><D>3</D><E>4</E><F>5</F></C></InvoiceLine>
    <InvoiceLine><Note>two</Note><A>1</A><B>2</B><C><D>3</D><E>4</E><F>5</F></C></InvoiceLine></ubl:Invoice>"""
    assert text(source, "a.xml") == (
        "Invoice\nID: 7\nTax Total / Tax Amount: 22.04 (currency ID: EUR)\n\n"
        "Party / Postal Address\nCity Name: Kiel\nStreet Name: Kai 1\nPostal Zone: 24103\n"
        "Country / Identification Code: DE\n\n"
        "Invoice Line 1\nNote: one\nA: 1\nB: 2\n\nInvoice Line 1 / C\nD: 3\nE: 4\nF: 5\n\n"
        "Invoice Line 2\nNote: two\nA: 1\nB: 2\n\nInvoice Line 2 / C\nD: 3\nE: 4\nF: 5"
    )


def test_running_text_is_paragraphs_in_their_order() -> None:
    source = """<article><info><title>Tides</title><author>Ada</author></info><section><title>Spring</title>
    <para>High <emphasis>twice</emphasis> a
      day.</para><para>Plain.</para><programlisting>a
  b</programlisting></section><section><title>Neap</title><para>Low.</para></section></article>"""
    extracted = read(source, "a.xml")
    [page] = extracted.pages
    assert page.text == (
        "article\ninfo / title: Tides\ninfo / author: Ada\n\nSpring\n\nHigh twice a day.\n\nPlain.\n\na\n  b\n\nNeap\n\nLow."
    )
    assert [title for _, title in page.headings] == ["article", "Spring", "Neap"]


def test_records_attributes_and_feeds() -> None:
    assert text('<hosts><host name="a" port="1"/><host name="b" port="2"/></hosts>', "a.xml").endswith(
        "name: a; port: 1\nname: b; port: 2"
    )
    feed = "<rss><channel><item><title>New quay</title><description>&lt;p&gt;It &lt;b&gt;opened&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>"
    assert "description: It opened." in text(feed, "feed.xml")


def test_damaged_xml_is_read_as_far_as_it_goes() -> None:
    assert "Kiel" in text("<a><city>Kiel</city><b>unclosed", "a.xml")
    assert "one & two" in text("<a><b>one & two</b></a>", "a.xml")
    assert "größer als" in text("<a><b>gr&ouml;&szlig;er&nbsp;als</b><c>1</c></a>", "a.xml")
    assert "no markup" in text("no markup at all", "a.xml")


def test_encodings_and_encoded_files() -> None:
    source = '<?xml version="1.0" encoding="iso-8859-1"?><a><b>größer</b><c>1</c></a>'
    assert "b: größer" in text(source.encode("latin-1"), "a.xml")
    assert "b: größer" in text(source.replace("iso-8859-1", "utf-8").encode("latin-1"), "a.xml")
    assert "file: (binary data)" in text(f"<a><file>{'QUJD' * 200}</file><c>1</c></a>", "a.xml")


def test_entities_are_bounded_and_nothing_outside_is_read() -> None:
    own = '<!DOCTYPE a [<!ENTITY firm "Harbour Ltd">]><a><b>&firm;</b><c>1</c></a>'
    assert "b: Harbour Ltd" in text(own, "a.xml")
    outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><b>&x;</b><c>1</c></a>'
    assert "root:" not in text(outside, "a.xml")


def test_a_file_without_text_is_refused() -> None:
    with pytest.raises(Unreadable, match="no text"):
        read("<!-- nothing --><a><b/></a>", "a.xml")


# --- tables and logs ---


def test_tabs_separate_cells() -> None:
    extracted = read("name\tage\nAda\t36\nCharles\t79\n", "a.tsv")
    assert (extracted.kind, len(extracted.tables)) == ("csv", 1)
    assert "name: Ada; age: 36" in extracted.pages[0].text


def test_logs_and_yaml_are_kept_as_they_are() -> None:
    source = "2026-03-02 09:30:00 ERROR pump 3: pressure 2.1 bar\n  at pump.start\n"
    assert text(source, "a.log") == source
    assert (read("host: db\nports:\n  - 1\n", "a.yml").kind, text("a: 1", "a.yaml")) == ("txt", "a: 1")
