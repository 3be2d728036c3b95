// The loop: progress, metrics, checkpoints: what people run.
#pragma once

#include "likely/train/bias_variance.hpp"
#include "likely/train/cross_validation.hpp"
#include "likely/train/descend.hpp"
#include "likely/train/double_descent.hpp"
#include "likely/train/ensemble.hpp"
#include "likely/train/event_file.hpp"
#include "likely/train/events.hpp"
#include "likely/train/fit.hpp"
#include "likely/train/history.hpp"
#include "likely/train/losses.hpp"
#include "likely/train/metrics.hpp"
#include "likely/train/options.hpp"
#include "likely/train/reports.hpp"
#include "likely/train/run.hpp"
#include "likely/train/search.hpp"
#include "likely/train/terminal.hpp"
