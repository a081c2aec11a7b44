/** The choice of how the console looks. */
import { html, useState } from "../html.js";
import { keepLook, LOOKS, readLook } from "../preferences.js";

export function Look({ name }) {
  const { title, words } = LOOKS[name];
  const [look, setLook] = useState(() => readLook(name));
  const choose = (event) => {
    setLook(event.target.value);
    keepLook(name, event.target.value);
  };
  return html`<label class="look"><span>${title}</span>
    <select onChange=${choose}>${words.map((each) => html`<option value=${each} selected=${each === look}>${each}</option>`)}</select>
  </label>`;
}
