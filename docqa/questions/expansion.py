"""What a term of accounting is made of: a question asks for the quick ratio, the report has current assets and liabilities. English only.

Definitions as in any textbook of financial statement analysis. Statements go by many names, so each name brings the others.
"""

import re

_BALANCE = "consolidated balance sheet, statement of financial position"
_INCOME = "consolidated statement of income, operations, earnings"
_CASH = "consolidated statement of cash flows"

_RELATED = {
    r"balance sheet|statement of financial position": f"{_BALANCE}, total assets, total liabilities, shareholders' equity",
    r"income statement|profit and loss|p&l|statement of (?:income|operations|earnings)": f"{_INCOME}, revenue, net sales, operating income, net income",
    r"cash flow statement|statement of cash flows?": f"{_CASH}, operating activities, investing activities, financing activities",
    r"cap(?:ital )?ex(?:penditures?)?|capital[- ]intensive|capital intensity": f"purchases of property, plant and equipment, {_CASH}, investing activities",
    r"pp&?n?e": f"property, plant and equipment, net, {_BALANCE}",
    r"working capital": f"total current assets, total current liabilities, {_BALANCE}",
    r"(?:current|quick|acid[- ]test|cash) ratio|liquidity ratios?": f"cash and cash equivalents, receivables, inventories, total current assets, total current liabilities, {_BALANCE}",
    r"debt[- ]to[- ](?:equity|assets|capital)|leverage|gearing|capitali[sz]ation ratio|total debt": f"long-term debt, short-term borrowings, total liabilities, total equity, {_BALANCE}",
    r"largest liabilit(?:y|ies)|largest assets?": f"{_BALANCE}, total assets, total liabilities",
    r"gross (?:profit )?margins?|gross profit": f"gross profit, net sales, revenue, cost of sales, cost of goods sold, {_INCOME}",
    r"operating (?:profit )?margins?|operating profit|ebit": f"operating income, net sales, revenue, operating expenses, {_INCOME}",
    r"(?:net|profit|net profit) margins?|bottom line": f"net income, net earnings, revenue, {_INCOME}",
    r"ebitda": f"operating income, depreciation and amortization, {_INCOME}, {_CASH}",
    r"revenue growth|sales growth|growth rate|top line": f"total net revenue, net sales, {_INCOME}",
    r"effective tax (?:rate|ratio)": f"provision for income taxes, income tax expense, income before income taxes, {_INCOME}",
    r"eps|earnings per share": f"net income per share, basic, diluted, {_INCOME}",
    r"interest coverage|times interest earned": f"operating income, interest expense, {_INCOME}",
    r"return on (?:average )?(?:total )?assets|roa": f"net income, total assets, {_INCOME}, {_BALANCE}",
    r"return on (?:average )?equity|roe": f"net income, total shareholders' equity, {_INCOME}, {_BALANCE}",
    r"return on (?:capital employed|invested capital)|roce|roic|invested capital": f"operating income, total assets, total current liabilities, debt, equity, {_BALANCE}",
    r"(?:inventory|receivables?|payables?|(?:fixed |total )?assets?) turnover|days (?:of )?(?:inventory|sales|payables?)\b.*|dio|dso|dpo|cash conversion cycle":
        f"inventories, accounts receivable, accounts payable, cost of sales, net sales, total assets, {_BALANCE}, {_INCOME}",
    r"free cash flow|fcf": f"net cash provided by operating activities, capital expenditures, {_CASH}",
    r"(?:dividend )?payout ratio|retention ratio|dividends? paid": f"cash dividends paid, net income, {_CASH}",
    r"cogs": f"cost of goods sold, cost of sales, {_INCOME}",
    r"sg&?a": f"selling, general and administrative expenses, {_INCOME}",
    r"d&a": f"depreciation and amortization, {_CASH}",
    r"r&d": "research and development expenses",
    r"m&a": "acquisitions, mergers, business combinations",
}  # fmt: skip
_TERM = re.compile(
    "|".join(rf"(?P<t{number}>(?<!\w)(?:{term})(?!\w))" for number, term in enumerate(_RELATED)), re.IGNORECASE
)
_ITEMS = list(_RELATED.values())


def related(question: str) -> str:
    """What the reports call the things that the question's terms are made of, "" if it has no such term."""
    found = {match.lastgroup: _ITEMS[int(match.lastgroup[1:])] for match in _TERM.finditer(question) if match.lastgroup}
    return ", ".join(dict.fromkeys(item for items in found.values() for item in items.split(", ")))
