// The loop: progress, metrics, checkpoints: what people run.
#pragma once
