"""Three questions per station: predict, then move a slider, then explain."""

from typing import Final

from caldp_ui.handout.records import Reading, StationQuestions
from caldp_ui.offline.records import Question

_EPSILON: Final = "Privacy level ε"
_PEOPLE: Final = "People"

STATION_QUESTIONS: Final = {
    "trust": StationQuestions(
        "say whom one has to trust, and what a thief gets from a random bit.",
        Question(
            "Before you move anything: somebody copies what the server holds. Where does that "
            "harm people least?",
            (
                "Where each phone sent a random bit.",
                "Where the server holds the truth and publishes a random number.",
                "It is the same in both.",
            ),
            "A server that holds the truth can lose it; what was never sent cannot be copied.",
        ),
        Reading(
            "Move ε to 3. How often is an attacker right who reads one random bit?",
            _EPSILON,
            "3",
            r"right (?:at most|more than) ([0-9.]+) times",
            "{} times in 100",
        ),
        Question(
            "Why can the share of yes be known although each bit may be false?",
            (
                "How often bits are false is known, so that the total can be put right.",
                "Most people are honest.",
                "The server asks those again whose bit is false.",
            ),
            "The same share of bits is false on average, and the estimate takes that out.",
        ),
    ),
    "sum": StationQuestions(
        "say what it costs to trust nobody, and how that grows with the number of people.",
        Question(
            "Before you move anything: 100 times as many people report, each with local noise. "
            "What becomes of the error of the count?",
            (
                "It is 10 times as large, so that its share of all people is a tenth.",
                "It is 100 times as large.",
                "It stays the same.",
            ),
            "Noises of both signs partly cancel: a sum of n grows with the root of n.",
        ),
        Reading(
            "Move People to 1 million. By how much is local noise off?",
            _PEOPLE,
            "1 million",
            r"local noise by ([0-9.,]*[0-9])",
            "by {} people",
        ),
        Question(
            "Why does the trusted server's error not grow with the number of people?",
            (
                "It adds noise once, to the total.",
                "It asks fewer people.",
                "It rounds the total.",
            ),
            "One noise is added to one number, which hides any one person in it.",
        ),
    ),
    "selection": StationQuestions(
        "say why choosing among many items is harder with local noise.",
        Question(
            "Before you move anything: there are more items to choose from. What lead does the "
            "favourite need?",
            (
                "A larger one: more losers could win by their noise.",
                "A smaller one: votes are spread more thinly.",
                "The same, as the noise of an item does not change.",
            ),
            "Of many noisy counts the largest noise decides, and it grows with their number.",
        ),
        Reading(
            "Move Items to 1,024. By how many votes must the favourite lead, with local noise?",
            "Items",
            "1,024",
            r"must lead by ([0-9,]+) votes",
            "by {} votes",
        ),
        Question(
            "Four items are written with two bits each. Why can the majority of each bit elect an "
            "item that few people chose?",
            (
                "Each bit is won by another majority, and together they spell another item.",
                "Noise flips one of the two bits.",
                "Two bits cannot tell four items apart.",
            ),
            "Bits are counted one by one: nobody counts who chose which pair.",
        ),
    ),
    "rappor": StationQuestions(
        "say what stored noise protects, and what fresh noise every day gives away.",
        Question(
            "Before you move anything: a phone reports the same page for 60 days and stores its "
            "noise. How often is an attacker right in the end?",
            (
                "Never more often than one number that ε sets, however many days.",
                "100 times in 100: 60 reports are enough.",
                "50 times in 100: nothing can be learned.",
            ),
            "All 60 reports are made from one stored, noisy copy: that is all they can reveal.",
        ),
        Reading(
            "Move ε to 5. How often is an attacker right after 7 days?",
            _EPSILON,
            "5",
            r"attacker is right ([0-9.]+) times",
            "{} times in 100",
        ),
        Question(
            "What does the second, daily noise on top of the stored one do?",
            (
                "It makes reports of one phone look different, so that they are harder to follow.",
                "It makes the estimate more accurate.",
                "It lets the phone forget its stored copy.",
            ),
            "A stored copy that is sent as it is would be a name tag of its own.",
        ),
    ),
    "bits": StationQuestions(
        "say what a longer report buys: hardly any accuracy.",
        Question(
            "Before you move anything: a phone may send 16 bits, or a few. Which estimate is "
            "better at the same ε?",
            (
                "They are about as good.",
                "That from 16 bits, as it says four times as much.",
                "That from one bit, as it has the least noise.",
            ),
            "ε bounds what a report says about its phone, whatever its length.",
        ),
        Reading(
            "Move Items to 1,024. How many bits has the Galois report?",
            "Items",
            "1,024",
            r"^Galois reports of ([0-9]+) bits",
            "{} bits",
        ),
        Question(
            "All phones use one hash function that puts two items together. What happens?",
            (
                "Nobody can tell these two apart, however many people report.",
                "The error halves.",
                "With more people it averages out.",
            ),
            "Noise averages out over people; what all of them confuse alike does not.",
        ),
    ),
    "means": StationQuestions(
        "say why rounding at random keeps a mean right, and why the bit is stored.",
        Question(
            "Before you move anything: minutes are rounded to the nearest end of wide buckets, "
            "without a random number. What becomes of the mean?",
            (
                "It is off, and more people do not help.",
                "It is right once there are enough people.",
                "It is right for everybody.",
            ),
            "Rounding to the nearest moves most people the same way: that does not cancel.",
        ),
        Reading(
            "Move Bucket width to 240. By how much is the mean off if rounded to the nearest?",
            "Bucket width (minutes)",
            "240",
            r"rounded to the nearest, by ([0-9.]*[0-9])",
            "by {} minutes",
        ),
        Question(
            "Why does the phone store its random bit?",
            (
                "Fresh bits about the same minutes add up to the truth.",
                "It saves energy.",
                "The mean would be wrong otherwise.",
            ),
            "A bit that is stored is one report, however often it is sent. Each new bucket costs "
            "ε again.",
        ),
    ),
    "shuffling": StationQuestions(
        "say when a crowd hides a report, and when it does not.",
        Question(
            "Before you move anything: reports are shuffled, so that nobody knows whose is whose. "
            "What do more people do?",
            (
                "They hide each other better: ε after shuffling falls.",
                "They make it easier to find one person.",
                "Nothing: ε is a number of each phone.",
            ),
            "One report among many could be anybody's.",
        ),
        Reading(
            "Move People to 1 million. To what does ε fall?",
            _PEOPLE,
            "1 million",
            r"ε (?:from [0-9.]+ to|at) ([0-9.]*[0-9])",
            "to {}",
        ),
        Question(
            "Reports name their block, and there are 100 blocks. Who hides a report?",
            (
                "Only people in the same block.",
                "Everybody who reports.",
                "Nobody.",
            ),
            "Whoever sees a block's reports has to tell apart only the people in it.",
        ),
    ),
}
"""By the station's name."""
