// Figures: what people look at.
#pragma once
