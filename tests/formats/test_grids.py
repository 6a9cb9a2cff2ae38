"""Tables in the text of a page: what is one, its column headings, units, and rows."""

from docqa.formats.grid_cells import is_number
from docqa.formats.grids import Grid, going_on, grids


def table(text: str) -> Grid:
    [grid] = grids(text)
    return grid


def test_bars_are_drawn_around_rows_or_stand_between_cells_of_which_the_first_may_be_empty() -> None:
    for text in (
        "| | 2004 | 2005 |\n|---|---|---|\n| Filed | 12 | 13 |\n| Done | 10 | 11 |",
        " | 2004 | 2005\nFiled | 12 | 13\nDone | 10 | 11",
        " |  | 2004 | 2005\nFiled |  | 12 | 13\nDone |  | 10 | 11",
    ):
        grid = table(text)
        assert grid.columns == ("", "2004", "2005")
        assert [row.cells for row in grid.rows] == [("Filed", "12", "13"), ("Done", "10", "11")]
    assert table("| Item | Price\n| Desk | 12\n| Lamp | 13").columns == ("Item", "Price")


def test_bars_part_cells() -> None:
    grid = table("Sales by region\n\nRegion | Q1 2024 | Q2 2024\nNorth | 10 | 12\nSouth | 7 | 9\n")
    assert grid.columns == ("Region", "Q1 2024", "Q2 2024")
    assert [row.cells for row in grid.rows] == [("North", "10", "12"), ("South", "7", "9")]
    assert grid.title == "Sales by region"


def test_runs_of_spaces_part_cells_that_stand_under_each_other() -> None:
    text = (
        "Fees\n\nService          Price\nDelivery         5 EUR\nReturn           free\nExpress          12 EUR\n\nEnd."
    )
    assert [row.cells for row in table(text).rows] == [("Delivery", "5 EUR"), ("Return", "free"), ("Express", "12 EUR")]


def test_two_spaces_after_full_stops_are_no_table() -> None:
    assert grids("It rains.  We stay.\nThe sun shines now and then.  We go.\nNobody knows.  Why?\n") == []


def test_a_heading_over_several_columns_holds_for_each() -> None:
    grid = table("\tThree months ended\t\tSix months ended\n\t2024\t2023\t2024\t2023\nRevenue\t10\t9\t21\t19\n")
    assert grid.columns[1:] == (
        "Three months ended 2024",
        "Three months ended 2023",
        "Six months ended 2024",
        "Six months ended 2023",
    )


def test_an_arrow_beside_a_value_makes_no_heading_of_its_row() -> None:
    grid = table("Parameter\tResult\tShould be\nIron\t13.1 g/dl\t13.5 - 17.5\t↓\nSalt\t139 mmol/l\t135 - 145\n")
    assert grid.columns == ("Parameter", "Result", "Should be", "")
    assert [row.label for row in grid.rows] == ["Iron", "Salt"]


def test_years_one_short_of_the_columns_stand_over_the_values() -> None:
    grid = table("Years ended June 30, (in thousands)\n\n2021 | 2020\nWages | 310 | 290\nRent | 40 | 38\n")
    assert grid.columns == ("", "2021", "2020")
    assert grid.scale == "thousands"


def test_currency_signs_go_to_the_number_after_them() -> None:
    grid = table("($ in millions)\n\n\t\t2021\t2020\nCash\t$\t1,093   $\t874\nDebt\t\t856\t141\n")
    assert [row.cells for row in grid.rows] == [("Cash", "$1,093", "$874"), ("Debt", "856", "141")]
    assert grid.columns == ("", "2021", "2020")
    assert grid.scale == "$ millions"


def test_headings_of_spaced_cells_stand_over_their_column() -> None:
    text = "\n                 Adults     Children\nSingle ticket    5.50       3.00\nTen visits       49.00      27.00\nYear             390.00     180.00\n"
    grid = table(text)
    assert grid.columns == ("", "Adults", "Children")
    assert grid.rows[0].cells == ("Single ticket", "5.50", "3.00")


def test_a_sign_after_its_number_stays_there() -> None:
    grid = table("Titre | Plein | Réduit\nTicket | 1,80 € | 1,20 €\nCarnet | 15,00 € | 10,00 €\n")
    assert grid.rows[0].cells == ("Ticket", "1,80 €", "1,20 €")


def test_a_sign_after_its_number_stays_there_before_a_word() -> None:
    grid = table("Catégorie | Cotisation | Licence\nAdulte | 210 € | 38 €\nFamille | 380 € | incluse\n")
    assert grid.rows[1].cells == ("Famille", "380 €", "incluse")


def test_round_numbers_that_rise_above_others_are_what_the_columns_are_for() -> None:
    rows = "Flyers, A6\t19\t27\t36\t48\nFlyers, A5\t26\t38\t52\t71\nCards\t22\t29\t38\t54\n"
    assert table("Size\t100\t250\t500\t1,000\n" + rows).columns == ("Size", "100", "250", "500", "1,000")
    assert not any(table(rows + "Letterheads\t35\t58\t84\t132\n").columns), "these are prices"


def test_several_figures_in_a_cell_are_as_many_columns() -> None:
    head = "\tThree Months Ended Six Months Ended July 29, 2023 July 30, 2022 July 29, 2023 July 30, 2022\n"
    grid = table(head + "Revenue\t$ 8,890 $ 9,569 $ 17,691 $ 19,463\nMargin\t23.1 % 22.0 % 22.9 % 22.0 %\n")
    assert grid.columns[1:] == (
        "Three Months Ended July 29, 2023",
        "Three Months Ended July 30, 2022",
        "Six Months Ended July 29, 2023",
        "Six Months Ended July 30, 2022",
    )
    assert [row.cells[3] for row in grid.rows] == ["$ 17,691", "22.9 %"]


def test_telephone_numbers_stay_whole() -> None:
    grid = table("Office | Telephone | Room\nPass | 0551 4002231 | 12\nTax | 0551 4002232 | 14\n")
    assert grid.rows[0].cells == ("Pass", "0551 4002231", "12")


def test_a_first_row_that_recurs_below_heads_nothing() -> None:
    grid = table("Safe | good | -\nCaring | fair | -\nLed | good | -\n")
    assert grid.columns == ("", "", "")


def test_a_first_row_of_values_is_no_further_heading() -> None:
    drugs = table(
        "Drug | Dose | Taken | Status\nAspirin | 75 mg | daily | new\nRamipril | 5 mg | daily | old\nZinc | – | – | –\n"
    )
    assert drugs.columns == ("Drug", "Dose", "Taken", "Status")
    assert [row.label for row in drugs.rows] == ["Aspirin", "Ramipril", "Zinc"]
    defects = table(
        "Nr | Device | By | Due\n1 | Door | Bo | at once\n2 | Lamp | Bo | 30.04.2024\n3 | Pipe | Al | 31.05.2024\n"
    )
    assert [row.cells[1] for row in defects.rows] == ["Door", "Lamp", "Pipe"]


def test_a_second_row_of_headings_that_comes_again_stays_one() -> None:
    grid = table(
        "\tHedged\t\nIn millions\tPlace\tGain\nSwaps\tInterest\t$ 5\nOptions\tSales\t$ 7\n\tHedged\t\nIn euros\tPlace\tGain\nLoans\tSales\t$ 2\n"
    )
    assert grid.columns == ("In millions", "Hedged Place", "Hedged Gain")


def test_a_label_without_values_stands_over_the_rows_below_it() -> None:
    grid = table("\t2021\t2020\nAssets:\nCash\t5\t4\nReceivables (1)\t6\t7\n")
    assert [(row.above, row.label) for row in grid.rows] == [("Assets", "Cash"), ("Assets", "Receivables")]


def test_a_table_goes_on_at_the_top_of_the_next_page() -> None:
    first = table("Item | A1 | B2\nLength | 10 | 12\nWidth | 7 | 9")
    text = "Weight | 3 | 4\nPower | 60 | 70\n"
    assert going_on(table(text), text, first).columns == ("Item", "A1", "B2")
    text = f"Another lamp:\n\n{text}"
    assert not any(going_on(table(text), text, first).columns)
    names = table("Name\tUse\tPlace\nSaw\twood\thall\nFile\tmetal\tshed\n")
    text = "Name\tUse\tPlace\nRasp\twood\tloft\n"  # with its headings once more
    again = going_on(table(text), text, names)
    assert (again.columns, [row.cells for row in again.rows]) == (names.columns, [("Rasp", "wood", "loft")])


def test_rows_know_where_they_stand() -> None:
    text = "Prices\n\nItem | Price\nTea | 2\nCake | 3\n"
    assert [text[row.start : row.end] for row in table(text).rows] == ["Tea | 2", "Cake | 3"]


def test_a_unit_may_be_one_of_another() -> None:
    assert all(map(is_number, ("7,000 l/h", "9,90 €/Monat", "13.1 g/dl", "34 ct/ kWh")))


def test_numbers_have_units_and_years_and_dates_are_none() -> None:
    assert all(map(is_number, ["12", "(1,2)", "$ 5", "12 %", "16 litres", "8,9 kg", "—", "-18 %"]))
    assert not any(map(is_number, ["2023", "Q3 2024", "31 December", "FY2021", "n/a", "A12"]))


def test_a_label_that_spans_several_rows_is_that_of_each() -> None:
    grid = table(
        "Day | Course | Room | Places\nMonday | Pottery | 4 | 12\n | Weaving | 5 | 10\nTuesday | Drawing | 4 | 14\n"
        " | Total | | 36\n"
    )
    assert [row.label for row in grid.rows] == ["Monday", "Monday", "Tuesday", ""]


def test_a_row_of_figures_or_of_one_cell_has_no_label_of_the_row_above() -> None:
    assert [row.label for row in table("\t2023\t2022\nCash\t100\t90\nStock\t50\t40\n\t150\t130\n").rows][-1] == ""
    grid = table("Sign\tMeaning\tSince\nRed\tStop at once and wait for\t1990\n\tthe signal man\t\nBlue\tGo on\t1991\n")
    assert [row.label for row in grid.rows] == ["Red", "", "Blue"]


def test_headings_that_stand_twice_side_by_side_head_one_long_table() -> None:
    grid = table("Code\tPlace\tCode\tPlace\nA1\tHull\tA4\tBath\nA2\tYork\tA5\tDeal\nA3\tRyde\t\t\n")
    assert grid.columns == ("Code", "Place")
    assert [row.cells for row in grid.rows] == [
        ("A1", "Hull"),
        ("A2", "York"),
        ("A3", "Ryde"),
        ("A4", "Bath"),
        ("A5", "Deal"),
    ]


def test_a_heading_over_several_columns_is_parted_by_the_row_below_it_though_its_label_is_empty() -> None:
    grid = table("Load\tSpeed (km/h)\t\n\t20 or less\tabove 20\nbelow 5\tfirst gear\tsecond gear\n5 to 9\tfirst\tno\n")
    assert grid.columns == ("Load", "Speed (km/h) 20 or less", "Speed (km/h) above 20")
    assert [row.label for row in grid.rows] == ["below 5", "5 to 9"]


def test_two_numbers_that_a_stroke_parts_stand_in_two_columns() -> None:
    text = (
        "Fares\n\n"
        "Days            Coast         Islands\n"
        "              out / back     out / back\n"
        "---------------------------------------\n"
        "up to 8        9 /  18     32 /  61\n"
        "9 - 16        12 /  24     45 / 104\n"
        "17 - 31       21 /  40    108 / 231\n"
        "---------------------------------------\n"
        "Children travel at half the fare.\n"
    )
    grid = table(text)
    assert grid.columns == ("Days", "Coast out", "Coast back", "Islands out", "Islands back")
    assert [row.cells for row in grid.rows][1] == ("9 - 16", "12", "24", "45", "104")
    text = "Course\tRoom\tSeats (min. / max.)\nPottery\tattic\t8 / 20\nWeaving\tbarn\t6 / 9\nDrawing\tbarn\t5 / 8\n"
    assert table(text).columns == ("Course", "Room", "Seats (min.)", "Seats (max.)")


def test_a_table_ends_at_the_text_below_its_last_rule() -> None:
    rows = "Item      Price   Stock\nLamp      12      40\nDesk      99      17\nChair     45      30\n---------------------\n"
    text = f"{rows}All prices are net.\n\nWe deliver on weekdays.\n\n{rows.replace('Lamp', 'Rope')}Thank you.\n"
    assert [grid.rows[0].label for grid in grids(text)] == ["Lamp", "Rope"]


def test_a_heading_over_the_numbers_of_rows_is_that_of_the_names_beside_them() -> None:
    grid = table("Name of place\t\tCode\n1.\tHull\tA1\n2.\tYork\tA2\n3.\tRyde\tA3\n")
    assert grid.columns == ("", "Name of place", "Code")


def test_rows_of_words_with_labels_are_no_further_headings() -> None:
    grid = table(
        "\tSeller\tBuyer\nName\tAda Brook\tJon Pell\nCity\tHull\tYork\nBank\tHill Bank\tMill Bank\n"
        "Sort code\t00-11-42\t00-27-80\nAccount\t30551782\t71840096\n"
    )
    assert grid.columns == ("", "Seller", "Buyer")
    assert [row.label for row in grid.rows] == ["Name", "City", "Bank", "Sort code", "Account"]


def test_ranges_of_numbers_stay_in_one_column_and_losses_beside_gains_do_not() -> None:
    grid = table(
        "Service\tSummer\tWinter\nShop\t8.30 – 21.00\t9 to 13\nPool\t10.30 – 20.30\tclosed\nDesk\t8.00 – 22.00\t\n"
    )
    assert [row.cells[1] for row in grid.rows] == ["8.30 – 21.00", "10.30 – 20.30", "8.00 – 22.00"]
    grid = table("Item\tIn and out\tNote\nCoal\t31.50 –4.20\ta\nWood\t12.00 –9.10\tb\nPeat\t8.10 –3.00\tc\n")
    assert [row.cells[1:3] for row in grid.rows] == [("31.50", "–4.20"), ("12.00", "–9.10"), ("8.10", "–3.00")]


def test_lines_that_are_known_to_head_columns_head_them_and_no_others() -> None:
    text = "Lot | Owner | Voice | Share\nShop | Ada Hall | by Bo Lind | 14.0\nFlat 1 | Cy Moss | herself | 9.5\n"
    [grid] = grids(text, [0])
    assert grid.columns == ("Lot", "Owner", "Voice", "Share")
    assert [row.label for row in grid.rows] == ["Shop", "Flat 1"]
    [grid] = grids("Kind of work | Who agrees\nRepairs | the board\nA new roof | all owners\n", [0])
    assert grid.columns == ("Kind of work", "Who agrees")


def test_a_heading_that_spans_rows_leaves_the_one_beside_it_in_its_place() -> None:
    grid = table("Name | Year\nName | 2023 | 2024\nOil | 3 | 4\nCoal | 5 | 6\n")
    assert grid.columns == ("Name", "Year 2023", "Year 2024")


def test_the_row_below_a_known_heading_that_parts_it_by_years_is_of_the_headings() -> None:
    text = "Target reached | Commission (% of sales)\n | 2025 | 2026\nbelow 85 | 0 | 0.5\n85 to 99 | 1.0 | 1.2\n"
    for known in ((), [0]):
        [grid] = grids(text, known)
        assert grid.columns == ("Target reached", "Commission (% of sales) 2025", "Commission (% of sales) 2026")
        assert [row.label for row in grid.rows] == ["below 85", "85 to 99"]


def test_a_letter_in_brackets_is_a_unit_where_no_notes_begin_with_the_first_letter() -> None:
    assert table("Wash | Water (l) | Load (kg)\nEco | 9.8 | 6\nCrystal | 12.5 | 4\n").columns[1] == "Water (l)"
    with_notes = "Item | Sum (g) | Share (a)\nRent | 120 | 7\nFuel | 90 | 5\n"
    assert table(with_notes).columns == ("Item", "Sum", "Share")


def test_a_year_with_a_word_that_is_no_unit_heads_a_column() -> None:
    grid = table("Department | 2024 actual | 2025 proposed\nFire | $900 | $950\nPolice | $800 | $820\n")
    assert grid.columns == ("Department", "2024 actual", "2025 proposed")
    assert is_number("2015 kg") and is_number("2000 rpm")
