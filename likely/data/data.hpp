// Datasets, batches, generators: what it is learned from.
#pragma once
