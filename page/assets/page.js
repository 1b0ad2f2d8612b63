// What the page does beyond what it is without scripts: the reader's time zone, dark and light, charts, tables that sort and filter in place, and
// in one file the views and what they are narrowed to.
(function () {
  "use strict";

  var root = document.documentElement;

  // Times.
  function two(n) { return (n < 10 ? "0" : "") + n; }
  function local(d, withSeconds) {
    return d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate()) + " " + two(d.getHours()) + ":" + two(d.getMinutes()) +
      (withSeconds ? ":" + two(d.getSeconds()) : "");
  }
  function zones() {
    document.querySelectorAll("time[datetime]").forEach(function (t) {
      var d = new Date(t.getAttribute("datetime"));
      if (isNaN(d)) return;
      t.title = t.textContent;
      t.textContent = local(d, true);
    });
    var zone = "";
    try { zone = Intl.DateTimeFormat().resolvedOptions().timeZone; } catch (e) { zone = ""; }
    document.querySelectorAll("[data-zone]").forEach(function (e) { e.textContent = "Times are in your zone" + (zone ? ", " + zone : "") + "."; });
  }

  // Ends of mutes are given in the reader's zone.
  function ends() {
    document.querySelectorAll("[data-until-zone]").forEach(function (e) {
      var form = e.closest("form");
      e.textContent = "your time";
      form.addEventListener("submit", function () {
        var d = new Date(form.elements.until.value);
        form.elements.until_utc.value = isNaN(d) ? "" : d.toISOString();
      });
    });
  }

  // Dark and light.
  function isDark() {
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function theme() {
    var b = document.querySelector("[data-theme-toggle]");
    if (!b) return;
    function say() { b.textContent = isDark() ? "Light colours" : "Dark colours"; }
    b.hidden = false;
    say();
    b.addEventListener("click", function () {
      var next = isDark() ? "light" : "dark";
      root.setAttribute("data-theme", next);
      try { localStorage.setItem("tooltrail-theme", next); } catch (e) { /* not kept then */ }
      say();
      redraw();
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { say(); redraw(); });
  }

  // Charts.
  var plots = [];
  function colour(name) { return getComputedStyle(root).getPropertyValue(name).trim(); }
  function short(n) {
    var a = Math.abs(n);
    if (a >= 1e9) return trim(n / 1e9) + "G";
    if (a >= 1e6) return trim(n / 1e6) + "M";
    if (a >= 1e3) return trim(n / 1e3) + "k";
    return trim(n);
  }
  function trim(n) { return String(Math.round(n * 100) / 100); }
  function spoken(unit, n) {
    if (n === null || n === undefined) return "–";
    switch (unit) {
      case "ratio": return trim(n * 100) + " %";
      case "usd": return "$" + (Math.abs(n) < 1 ? Math.round(n * 1e4) / 1e4 : trim(n));
      case "seconds": return n >= 172800 ? Math.round(n / 8640) / 10 + " d" : n >= 7200 ? trim(n / 3600) + " h" : n >= 120 ? trim(n / 60) + " min" : n >= 1 || n === 0 ? trim(n) + " s" : trim(n * 1000) + " ms";
      case "multiple": return trim(n) + "×";
      case "bytes": return n >= 1048576 ? trim(n / 1048576) + " MiB" : n >= 1024 ? trim(n / 1024) + " KiB" : trim(n) + " B";
    }
    return n.toLocaleString("en-US", { maximumFractionDigits: 2 });
  }
  // steps are how far apart the marks of an axis can be: what is counted comes whole, and spans of time and sizes are not counted in tens.
  var whole = [];
  for (var ten = 1; ten < 1e15; ten *= 10) whole.push(ten, 2 * ten, 5 * ten);
  var steps = {
    count: whole, tokens: whole,
    seconds: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 43200, 86400,
      172800, 432000, 864000, 1728000, 4320000, 8640000],
    bytes: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].reduce(function (all, n, i, of) {
      for (var k = 0; k < 4; k++) all[k * of.length + i] = n * Math.pow(1024, k);
      return all;
    }, [])
  };
  function onAxis(unit, n) {
    return unit === "count" || unit === "tokens" ? short(n) : spoken(unit, n);
  }
  var dashes = [[], [6, 4], [2, 3], [10, 4, 2, 4]];

  // stack adds each series to those under it; what is not known counts as nothing there. The highest comes first, so that those under it are
  // drawn over it.
  function stack(series) {
    var sum = [];
    return series.map(function (s) {
      return s.values.map(function (v, i) {
        sum[i] = (sum[i] || 0) + (v || 0);
        return sum[i];
      });
    }).reverse();
  }
  function limitsOf(c) {
    return {
      hooks: {
        draw: [function (u) {
          var above = null;
          c.limits.forEach(function (l) {
            var y = u.valToPos(l.over, "y", true);
            if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
            var x = u.ctx;
            x.save();
            x.strokeStyle = x.fillStyle = colour(l.level === "critical" ? "--bad" : "--warn");
            x.lineWidth = devicePixelRatio;
            x.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
            x.beginPath();
            x.moveTo(u.bbox.left, y);
            x.lineTo(u.bbox.left + u.bbox.width, y);
            x.stroke();
            x.font = textSize() * devicePixelRatio + "px sans-serif";
            x.textAlign = "left";
            x.textBaseline = "bottom";
            x.setLineDash([]);
            var says = l.level + " over " + l.text;
            if (above === null || above - y > textSize() * 1.2 * devicePixelRatio) { // else one label would lie on the other
              var pad = 2 * devicePixelRatio, high = textSize() * 1.2 * devicePixelRatio;
              x.globalAlpha = 0.85; // lines under it are still seen
              x.fillStyle = colour("--paper");
              x.fillRect(u.bbox.left + pad, y - pad - high, x.measureText(says).width + 2 * pad, high);
              x.globalAlpha = 1;
              x.fillStyle = x.strokeStyle;
              x.fillText(says, u.bbox.left + 2 * pad, y - pad);
              above = y;
            }
            x.restore();
          });
        }]
      }
    };
  }
  // pointed marks a chart that somebody points at: only then its legend has a time and values.
  var pointed = {
    hooks: {
      setCursor: [function (u) { u.root.classList.toggle("pointed", u.cursor.idx !== null && u.cursor.idx !== undefined && u.cursor.left >= 0); }]
    }
  };
  function textSize() { return Math.round(parseFloat(getComputedStyle(root).fontSize) * 0.75); }
  // days names moments: by their day where they are days apart, else by their hour, with the day where another begins.
  function days(all) {
    var apart = all.length > 1 ? all[1] - all[0] : 0;
    return all.map(function (t, i) {
      var d = new Date(t * 1000), text = local(d, apart < 60 && apart > 0);
      if (apart >= 86400) return text.slice(5, 10);
      var other = i === 0 || new Date(all[i - 1] * 1000).getDate() !== d.getDate();
      return text.slice(11) + (other ? "\n" + text.slice(5, 10) : "");
    });
  }
  // alone finds points that no line leads to, since their neighbours are not known.
  function alone(values) {
    var found = [];
    values.forEach(function (v, i) { if (v !== null && (values[i - 1] === null || i === 0) && (values[i + 1] === null || i === values.length - 1)) found.push(i); });
    return found;
  }
  // spanOf is the range that was asked for, or that of the points where they fill only a little of it.
  function spanOf(c) {
    var first = c.times[0], last = c.times[c.times.length - 1];
    if (c.stacked) last += c.step; // a bar is as wide as a step
    if ((last - first) * 10 > c.to - c.from) return [Math.min(c.from, first), Math.max(c.to, last)];
    var room = Math.max(c.times.length > 1 ? (last - first) * 0.05 : c.step * 2, 1);
    return [first - room, last + room];
  }
  function axis(c, y) {
    var a = {
      stroke: colour("--quiet"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--grid"), width: 1 },
      font: textSize() + "px sans-serif", size: textSize() * (y ? 5.6 : 3.6)
    };
    if (!y) a.values = function (u, all) { return days(all); };
    if (y) {
      a.values = function (u, all) { return all.map(function (v) { return v === null ? "" : onAxis(c.unit, v); }); };
      if (steps[c.unit]) a.incrs = steps[c.unit];
      a.space = textSize() * 3;
    }
    return a;
  }
  function options(c, box) {
    var series = [{ value: function (u, t) { return t === null ? "–" : local(new Date(t * 1000), false); }, label: "Time" }];
    var span = spanOf(c);
    var shown = c.series.map(function (s, i) {
      var stroke = colour("--s" + (i % 12 + 1));
      var one = {
        label: s.label, stroke: stroke, spanGaps: false,
        value: function (u, v, j, k) { return k === null || k === undefined ? "" : spoken(c.unit, s.values[k]); }
      };
      if (c.stacked) {
        one.width = 0;
        one.fill = stroke;
        one.paths = uPlot.paths.bars({ size: [0.9, Math.max(3, box.width * 0.9 * c.step / (span[1] - span[0]))], align: 1 });
        one.points = { show: false };
      } else {
        one.width = Math.max(2, textSize() / 6);
        one.dash = dashes[Math.floor(i / 2) % dashes.length];
        one.points = { show: true, size: Math.max(5, textSize() / 2), fill: stroke, filter: function () { return c.times.length < 60 ? null : alone(s.values); } };
      }
      return one;
    });
    if (c.stacked) shown.reverse();
    series = series.concat(shown);
    return {
      width: box.width, height: box.height, series: series, plugins: [limitsOf(c), pointed],
      scales: {
        x: { time: true, range: function () { return spanOf(c); } },
        y: {
          range: function (u, min, max) {
            var top = max === null ? 1 : max;
            c.limits.forEach(function (l) { if (l.over <= top * 2.5) top = Math.max(top, l.over); });
            return [Math.min(0, min || 0), top > 0 ? top * 1.08 : 1];
          }
        }
      },
      axes: [axis(c, false), axis(c, true)], legend: { live: true, markers: { fill: function (u, i) { return i > 0 ? series[i].stroke : "transparent"; } } }, cursor: { drag: { x: false, y: false } }
    };
  }
  function sizeOf(el) { return { width: Math.max(Math.floor(el.clientWidth), 200), height: Math.max(Math.min(Math.round(el.clientWidth * 0.36), textSize() * 38), 210) }; }
  function draw(holder) {
    var el = holder.querySelector(".plot");
    if (el.clientWidth === 0) return; // not shown
    var c = JSON.parse(holder.querySelector("script").textContent);
    var values = c.stacked ? stack(c.series) : c.series.map(function (s) { return s.values; });
    el.textContent = "";
    plots.push({ holder: holder, el: el, plot: new uPlot(options(c, sizeOf(el)), [c.times].concat(values), el) });
    holder.setAttribute("data-drawn", "");
  }
  function drawAll() { document.querySelectorAll("[data-chart]:not([data-drawn])").forEach(draw); }
  function redraw() {
    plots.forEach(function (p) { p.plot.destroy(); p.holder.removeAttribute("data-drawn"); });
    plots = [];
    drawAll();
  }
  var resizing = 0;
  window.addEventListener("resize", function () {
    clearTimeout(resizing);
    resizing = setTimeout(function () { plots.forEach(function (p) { if (p.el.clientWidth) p.plot.setSize(sizeOf(p.el)); }); }, 100);
  });

  // Tables.
  function valueOf(cell) {
    var v = cell.getAttribute("data-v");
    return v === null ? cell.textContent.trim() : v;
  }
  function isUnknown(v) { return v === "" || v === "–" ? 1 : 0; }
  function order(a, b, numeric) {
    return numeric ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
  }
  function sortBy(table, th, i) {
    var down = th.getAttribute("aria-sort") === "ascending" || th.getAttribute("aria-sort") === "none" && th.classList.contains("number");
    table.querySelectorAll("th").forEach(function (h) { h.setAttribute("aria-sort", "none"); });
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    var numeric = rows.some(function (r) { return r.cells[i].hasAttribute("data-v"); });
    rows.sort(function (a, b) {
      var x = valueOf(a.cells[i]), y = valueOf(b.cells[i]);
      if (isUnknown(x) || isUnknown(y)) return isUnknown(x) - isUnknown(y); // last, either way
      return down ? order(y, x, numeric) : order(x, y, numeric);
    });
    rows.forEach(function (r) { body.appendChild(r); });
    if (!document.body.hasAttribute("data-file")) {
      var u = new URL(location.href);
      u.searchParams.set("sort", table.getAttribute("data-table") + ":" + th.getAttribute("data-col") + (down ? ":desc" : ""));
      history.replaceState(null, "", u);
    }
  }
  function sortable(table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, i) {
      var a = th.firstElementChild;
      var b = a;
      if (a.tagName !== "A") {
        b = document.createElement("a");
        b.href = "#";
        b.setAttribute("role", "button");
        b.textContent = a.textContent;
        th.replaceChild(b, a);
      }
      b.addEventListener("click", function (e) {
        if (e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        sortBy(table, th, i);
      });
      b.addEventListener("keydown", function (e) { if (e.key === " ") { e.preventDefault(); b.click(); } });
    });
  }
  function filterable(table) {
    var rows = table.tBodies[0].rows;
    if (rows.length < 6) return;
    var label = document.createElement("label");
    label.className = "filter";
    var input = document.createElement("input");
    input.type = "search";
    label.textContent = "Only rows with ";
    label.appendChild(input);
    var said = document.createElement("span");
    said.className = "hidden";
    said.setAttribute("role", "status");
    label.appendChild(said);
    table.parentNode.parentNode.insertBefore(label, table.parentNode);
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      Array.prototype.forEach.call(rows, function (r) {
        var text = r.textContent.toLowerCase();
        r.hidden = !words.every(function (w) { return text.indexOf(w) >= 0; });
        if (!r.hidden) shown++;
      });
      said.textContent = shown + " of " + rows.length + " rows";
    });
  }

  // One file: one view at a time, narrowed to what its address says.
  function narrow(view, values) {
    var said = [];
    view.querySelectorAll("table[data-table]").forEach(function (table) {
      var at = {};
      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, i) { at[th.getAttribute("data-col")] = i; });
      Array.prototype.forEach.call(table.tBodies[0].rows, function (r) {
        r.hidden = false;
        values.forEach(function (value, name) {
          if (name in at && r.cells[at[name]].textContent.trim() !== value) r.hidden = true;
        });
      });
    });
    values.forEach(function (value, name) { said.push(name + " " + value); });
    var box = document.querySelector("[data-narrowed]");
    box.hidden = said.length === 0;
    box.textContent = "Tables show only: " + said.join(", ") + ". Figures and charts show all. ";
    if (said.length) {
      var a = document.createElement("a");
      a.href = "#" + view.id;
      a.textContent = "Show all rows";
      box.appendChild(a);
    }
  }
  function show() {
    var views = document.querySelectorAll("[data-view]");
    var parts = location.hash.slice(1).split("?");
    var id = parts[0] || "overview";
    if (id === "main") return;
    var target = document.getElementById(id);
    var view = target && target.closest("[data-view]") || document.getElementById("overview");
    views.forEach(function (v) { v.hidden = v !== view; });
    document.querySelectorAll(".top nav a").forEach(function (a) {
      if (a.getAttribute("href") === "#" + view.id) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
    });
    narrow(view, new URLSearchParams(parts[1] || ""));
    drawAll();
    if (target && target !== view) target.scrollIntoView(); else window.scrollTo(0, 0);
    document.title = view.querySelector("h1").textContent + " · Tooltrail";
  }

  function start() {
    zones();
    ends();
    theme();
    document.querySelectorAll("table[data-table]").forEach(function (t) { sortable(t); filterable(t); });
    if (document.body.hasAttribute("data-file")) {
      window.addEventListener("hashchange", show);
      show();
    } else {
      drawAll();
    }
    document.querySelectorAll("details.numbers").forEach(function (d) { d.addEventListener("toggle", drawAll); });
    root.setAttribute("data-ready", "");
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
