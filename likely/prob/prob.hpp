// Distributions, divergences, estimators: what is random.
#pragma once
