// Layers: what is learned.
#pragma once
