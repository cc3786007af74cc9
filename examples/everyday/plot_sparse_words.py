"""
Words that give a topic away
============================

A linear machine on counts of words is the old and good classifier of texts. Made-up messages keep this program free of downloads; everything else is as it would
be: a vectorizer, a sparse matrix, :class:`maxmargin.LinearSVC`, and weights that can be read.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from maxmargin import LinearSVC
from maxmargin.plots.style import color_of

rng = np.random.default_rng(0)
topics = {
    "garden": "soil seed rain leaf root bloom prune compost shade harvest",
    "kitchen": "oven flour salt simmer pan knife taste roast butter spice",
}
topics = {name: words.split() for name, words in topics.items()}
common = "the a we then today with some more very good time when and new before after"
shared = "water herb green fresh table basket"
texts, labels = [], []
for topic in rng.choice(list(topics), 600):
    words = [
        *rng.choice(common.split(), 12),
        *rng.choice(shared.split(), 3),
        *rng.choice(topics[topic], 2),
    ]
    if rng.random() < 0.5:  # half of the messages mention the other topic
        words += [rng.choice(topics["kitchen" if topic == "garden" else "garden"])]
    texts.append(" ".join(rng.permutation(words)))
    labels.append(str(topic))
print(labels[0], "|", texts[0])

# %%
# The pipeline takes texts and gives topics; in between the rows are sparse.

train_texts, test_texts, train_labels, test_labels = train_test_split(texts, labels, random_state=0)
model = make_pipeline(TfidfVectorizer(), LinearSVC(C=1.0)).fit(train_texts, train_labels)
rows = model[0].transform(train_texts)
print(
    f"{rows.shape[0]} rows, {rows.shape[1]} columns, {rows.nnz / np.prod(rows.shape):.0%} of the entries not zero"
)

# %%
# Positive weights speak for the second class, negative ones for the first. Words of both topics and words of none end up near zero.

# Alt: Horizontal bars of the weights of all words, sorted. Ten kitchen words stick out to the right and ten garden words to the left; everyday words and
# those that both topics share have short bars around zero.
words, weights = model[0].get_feature_names_out(), model[-1].coef_[0]
order = np.argsort(weights)
kinds = {"garden": color_of(2), "kitchen": color_of(1), "both or neither": "0.65"}
kind = [
    next((name for name in topics if word in topics[name]), "both or neither") for word in words
]
figure, axes = pyplot.subplots(figsize=(6.2, 5.8), layout="constrained")
for name, color in kinds.items():
    places = [place for place, k in enumerate(order) if kind[k] == name]
    axes.barh(places, weights[order][places], color=color, label=name, height=0.75)
axes.set_yticks(range(len(words)), words[order], fontsize=7.5)
axes.set(xlabel="weight", ylim=(-1, len(words)))
axes.legend(title="word of", loc="lower right")

# %%
score = model.score(test_texts, test_labels)
print(f"accuracy on {len(test_texts)} other messages: {score:.3f}")
assert score > 0.9
assert {str(word) for word in words[order[-10:]]} == set(topics["kitchen"])
assert {str(word) for word in words[order[:10]]} == set(topics["garden"])
