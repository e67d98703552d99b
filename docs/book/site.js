// Pictures have a light and a dark variant, chosen by what the reader's system prefers. Here the theme of the page decides.
(function () {
    const dark = ["navy", "coal", "ayu"];
    function follow() {
        const isDark = dark.some((theme) => document.documentElement.classList.contains(theme));
        for (const source of document.querySelectorAll("picture > source[media]")) {
            source.media = isDark ? "all" : "not all";
        }
    }
    new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["class"] });
    follow();
})();
