"""What can be measured of a page's looks."""

# ruff: noqa: E501 - these are scripts

#: Visible texts whose contrast with what is behind them is below WCAG AA: 4.5, and 3 for large ones.
WEAK_TEXTS = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const known = new Map();
    const rgba = (colour) => known.get(colour) ?? known.set(colour, drawn(colour)).get(colour);
    const drawn = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (top, below) => top.slice(0, 3).map((part, i) => part * top[3] + below[i] * (1 - top[3]));
    const behind = (element) => {
        const layers = [];
        for (let each = element; each; each = each.parentElement) {
            const layer = rgba(getComputedStyle(each).backgroundColor);
            layers.push(layer);
            if (layer[3] === 1) break;
        }
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const light = (colour) => {
        const [r, g, b] = colour.map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const weak = [];
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        const text = texts.currentNode.textContent.trim();
        if (!text || !element.checkVisibility({opacityProperty: true, visibilityProperty: true}) || element.closest('[inert]')) continue;
        if (element.closest('.visually-hidden, script, style, :disabled')) continue;
        const style = getComputedStyle(element);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const background = behind(element);
        const found = ratio(over(rgba(style.color), background), background);
        if (found < (large ? 3 : 4.5)) weak.push(`${text.slice(0, 40)}: ${found.toFixed(2)}`);
    }
    return weak;
}"""

#: Every visible text, and every label for those who do not see.
TEXTS = """() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    while (texts.nextNode()) found.add(texts.currentNode.textContent.trim());
    for (const name of ['aria-label', 'placeholder', 'title', 'data-announce', 'data-done', 'data-over', 'data-soon']) {
        document.querySelectorAll(`[${name}]`).forEach((each) => found.add(each.getAttribute(name).trim()));
    }
    found.add(document.title.split(' · ')[0]);
    return [...found].filter(Boolean);
}"""

#: Controls without a name, images without a text, ids used twice, headings that leave a level out.
UNSOUND = """() => {
    const seen = (element) => element.checkVisibility({visibilityProperty: true}) && !element.closest('[inert]');
    const problems = [];
    const name = (each) => each.getAttribute('aria-label') || each.getAttribute('aria-labelledby')
        || each.innerText?.trim() || each.labels?.[0]?.innerText.trim() || each.title;
    document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary').forEach((each) => {
        if (seen(each) && !name(each)) problems.push(`no name: ${each.outerHTML.slice(0, 90)}`);
    });
    const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
    ids.filter((id, place) => ids.indexOf(id) !== place).forEach((id) => problems.push(`twice: ${id}`));
    let level = 0;
    document.querySelectorAll('main :is(h1, h2, h3, h4)').forEach((each) => {
        const own = Number(each.tagName[1]);
        if (seen(each) && !each.closest('.prose') && own > level + 1) problems.push(`heading: ${each.innerText}`);
        if (seen(each) && !each.closest('.prose')) level = own;
    });
    if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1');
    document.querySelectorAll('[style], [onclick]').forEach((each) => {
        if (each.id !== 'composer-text') problems.push(`inline: ${each.outerHTML.slice(0, 90)}`);
    });
    return problems;
}"""

#: How many pixels the page is wider than its window.
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
