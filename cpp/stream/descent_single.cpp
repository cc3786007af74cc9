#include "stream/descent_of.h"

template class svm::stream::DescentOf<float>;
