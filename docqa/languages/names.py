"""The languages that the API names."""

from typing import Final

LANGUAGES: Final[dict[str, str]] = {  # the API's name → ISO 639-1; "" is the language of the question
    "ENGLISH": "en",
    "ARABIC": "ar",
    "CHINESE": "zh",
    "JAPANESE": "ja",
    "FRENCH": "fr",
    "GERMAN": "de",
    "SPANISH": "es",
    "KOREAN": "ko",
    "PORTUGESE": "pt",  # the API's own spelling
    "DEFAULT": "",
    "PORTUGUESE": "pt",
    "HEBREW": "he",
    "ITALIAN": "it",
    "RUSSIAN": "ru",
    "DUTCH": "nl",
    "TURKISH": "tr",
    "POLISH": "pl",
    "HINDI": "hi",
}
