  // What the scripts of all pages share.
  const byId = id => document.getElementById(id);
  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
      if (key in node && key !== "style" && key !== "list") node[key] = value; else node.setAttribute(key, value);
    node.append(...children.filter(child => child !== null && child !== undefined));
    return node;
  };
  const clock = (seconds, decimals = 2) => {
    const sign = seconds < 0 ? "-" : "", unit = 10 ** decimals, all = Math.round(Math.abs(seconds) * unit);
    const whole = Math.floor(all / unit), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const fraction = decimals ? "." + String(all % unit).padStart(decimals, "0") : "";
    return sign + (hours ? hours + ":" + String(minutes).padStart(2, "0") : minutes) + ":" + String(whole % 60).padStart(2, "0") + fraction;
  };
  const words = name => name.replaceAll("_", " ");
  const say = text => { byId("said").textContent = text; };
  /** The first index from `low` to `high` at which `test` holds; `high` if there is none. */
  const search = (low, high, test) => {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(middle)) high = middle; else low = middle + 1;
    }
    return low;
  };
