// Asio's own code, compiled once.

#include <boost/asio/impl/src.hpp>
