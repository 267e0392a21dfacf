"""Measures the shape of generated reviews by source, category and language, and prints it as a table beside its targets.

    python3 benches/reviews.py BINARY [CATEGORY] [--sample N]

It serves ten thousand reviews of one location for each language and category that has phrases, and reads them all. With
`--sample` it prints some of the reviews of a category instead.
"""

import argparse
import collections
import datetime
import json
import os
import random
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "attacks"))
from standin import Server

LANGUAGES = {
    ("en", "US"): ["neutral", "dentist", "veterinarian", "hotel", "restaurant", "automotive", "retail", "health", "home-services"],
    ("fr", "FR"): ["neutral", "hotel"],
    ("de", "DE"): ["neutral", "hotel"],
    ("es", "ES"): ["neutral", "dentist", "restaurant"],
    ("es", "MX"): ["neutral", "dentist", "restaurant"],
    ("pt", "BR"): ["neutral"],
    ("ja", "JP"): ["neutral"],
    ("ar", "SA"): ["neutral"],
}
COUNT = 10_000
PAGE = 25

SCENARIO = """standin: 1
name: shape
seed: 7
clock: {{start: 2026-06-30T17:00:00Z, mode: frozen}}
businesses:
  - number: 100
    name: Shape
    category: {category}
    country: {country}
    locations: [{{number: 1001, name: Riverside, reviews: [{{generate: {count}, locale: {language}}}]}}]
"""


def reviews(program, language, country, category):
    files = {"shape.yaml": SCENARIO.format(category=category, country=country, language=language, count=COUNT)}
    with Server(program, files) as server:
        body = server.call("POST", f"/v1/review/businessId/100?count={COUNT}", {}, {"x-api-key": "any"})[2]
        return json.loads(body)


def words(text, language):
    """Words; for Japanese, letters, of which two count as a word."""
    return len(re.sub(r"\W", "", text)) / 2 if language == "ja" else len(text.split())


def sentences(text, language):
    """The sentences of four words or more, without case and punctuation at their ends."""
    parts = re.split(r"[.!?…؟。！？\n]", text)
    plain = (re.sub(r"^\W+|\W+$", "", part).lower() for part in parts)
    return [part for part in plain if words(part, language) >= (5 if language == "ja" else 4)]


def opening(text, language):
    """The first three words, or letters of Japanese; none if there are fewer."""
    if language == "ja":
        letters = re.sub(r"\W", "", text)
        return letters[:6] if len(letters) >= 6 else None
    found = [plain for word in text.lower().split() if (plain := re.sub(r"\W", "", word))]
    return " ".join(found[:3]) if len(found) >= 3 else None


def seams(found, language):
    """Pages, at any start, on which a sentence or a response comes twice, or an opening three times."""
    marks = []
    for review in found:
        own = [(text, 1) for text in sentences(review["comments"] or "", language)]
        if begins := opening(review["comments"] or "", language):
            own.append((f"opening {begins}", 2))
        if review["response"]:
            own.append((f"response {review['response']}", 1))
        marks.append(own)
    on_page, bad = collections.Counter(), 0
    for at, own in enumerate(marks):
        on_page.update(mark for mark, _ in own)
        if at >= PAGE:
            on_page.subtract(mark for mark, _ in marks[at - PAGE])
        bad += any(on_page[mark] > most for mark, most in own)
    return bad


def day(text):
    return datetime.datetime.strptime(text, "%b %d, %Y").date()


def percent(part, whole):
    return f"{100 * part / max(1, whole):.1f}"


def measure(found, language):
    texts = [review["comments"] or "" for review in found]
    open_sources = [review for review in found if review["sourceType"] in ("Google", "Facebook")]
    others = [review for review in found if review["sourceType"] not in ("Google", "Facebook")]
    written = [text for text in texts if text]
    lengths = [words(text, language) for text in written]
    stars = collections.Counter(review["rating"] for review in found if review["sourceType"] not in ("Facebook", "Direct Feedback"))
    long = [text for text in written if words(text, language) > 6]
    answered = [review for review in found if review["response"]]
    return {
        "no words, Google and Facebook [25-35 %]": percent(sum(not review["comments"] for review in open_sources), len(open_sources)),
        "no words, others [2-5 %]": percent(sum(not review["comments"] for review in others), len(others)),
        "1-6 words [15-25 %]": percent(sum(length <= 6 for length in lengths), len(lengths)),
        "over 500 letters [5-10 %]": percent(sum(len(text) > (250 if language == "ja" else 500) for text in written), len(written)),
        "variation of words [0.7]": f"{statistics.pstdev(lengths) / statistics.mean(lengths):.2f}",
        "stars 1/2/3/4/5 %": "/".join(percent(stars[star], stars.total()).split(".")[0] for star in range(1, 6)),
        "answered %, by stars": "/".join(
            percent(sum(1 for review in answered if review["rating"] == star), sum(1 for review in found if review["rating"] == star)).split(".")[0]
            for star in range(1, 6)
        ),
        "distinct of more than 6 words [95 %]": percent(len(set(long)), len(long)),
        "pages with a seam [0]": seams(found, language),
        "with a digit %": percent(sum(bool(re.search(r"\d", text)) for text in written), len(written)),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("category", nargs="?")
    parser.add_argument("--sample", type=int)
    options = parser.parse_args()
    rows = []
    for (language, country), categories in LANGUAGES.items():
        for category in categories:
            if options.category not in (None, category):
                continue
            found = reviews(os.path.abspath(options.binary), language, country, category)
            if options.sample:
                start = random.randrange(COUNT - options.sample)
                for review in found[start : start + options.sample]:
                    print(f"\n{review['rating']} {review['sourceType']}: {review['comments']!r}")
                    if review["response"]:
                        print(f"    -> {review['response']!r}")
                continue
            figures = measure(found, language)
            if not rows:
                print("| language, category |", " | ".join(figures), "|\n|" + "---|" * (len(figures) + 1))
            rows.append(figures)
            print(f"| {language}-{country} {category} |", " | ".join(str(figure) for figure in figures.values()), "|", flush=True)


main()
