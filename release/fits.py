"""Fits of bundled data, as numbers to be compared between machines."""

import json

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, LinearSVC, NuSVC, OneClassSVM
from maxmargin.kernels import Matern


def standard(data):
    X, y = data
    return StandardScaler().fit_transform(X), y


X, y = standard(load_breast_cancer(return_X_y=True))
U, t = standard(load_diabetes(return_X_y=True))
V, labels = load_iris(return_X_y=True)
fitted = {
    "SVC": SVC(C=10.0).fit(X, y).decision_function(X),
    "SVC of three classes": SVC(kernel="poly").fit(V, labels).decision_function(V),
    "SVC with a Matern kernel": SVC(kernel=Matern()).fit(V, labels).decision_function(V),
    "NuSVC": NuSVC(nu=0.2).fit(X, y).decision_function(X),
    "SVR": SVR(C=100.0).fit(U, t).predict(U),
    "OneClassSVM": OneClassSVM(nu=0.1).fit(X).decision_function(X),
    "LinearSVC": LinearSVC(tol=1e-10).fit(X, y).decision_function(X),
}
print(json.dumps({name: values.ravel().tolist() for name, values in fitted.items()}))
