// plotly.js writes a few style attributes (a heat map's sharp edges, a colour bar's fills) as text, which a strict
// content security policy blocks. The same through the object model is allowed, and says the same.
"use strict";
{
  const setAttribute = SVGElement.prototype.setAttribute;
  SVGElement.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}
