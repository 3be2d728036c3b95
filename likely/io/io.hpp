// Files of parameters and of data: what is kept.
#pragma once
