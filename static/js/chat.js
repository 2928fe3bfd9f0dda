// The chat's one entry: each part below is loaded once, under one address.

import "./timeline.js";
import "./connection.js";
import "./confirmation.js";
import "./composer.js";
import "./deeds.js";
import "./list.js";
