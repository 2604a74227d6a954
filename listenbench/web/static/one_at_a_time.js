"use strict";
// Whoever starts a recording has heard enough of the others. Events of media don't bubble; they are caught on
// their way down.
document.addEventListener(
  "play",
  (event) => {
    for (const other of document.querySelectorAll("audio")) {
      if (other !== event.target) other.pause();
    }
  },
  true,
);
