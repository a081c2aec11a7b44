/** Columns that keep their widths while slices follow. */
import { useLayoutEffect } from "../../html.js";

/**
 * Keep the columns of a long table as wide as its first rows made them, so that those which follow move nothing, and
 * leave slices out of sight undrawn (`tables.css`): they stay in the document for keyboard, search and screen readers,
 * but opening a dialog, which styles the whole page anew, does not cost what all rows together cost.
 */
export function useSteadyColumns(box, isLong, columns, widths) {
  useLayoutEffect(() => {
    if (!isLong) return undefined;
    const table = box.current.firstElementChild;
    let width = null;
    const steady = () => {
      if (box.current.clientWidth === width) return;
      width = box.current.clientWidth;
      table.classList.remove("steady");
      table.style.minWidth = "";
      table.classList.add("measured"); // with its first rows alone
      const [first] = table.tBodies;
      const measured = [...table.tHead.rows[0].cells].map((head) => `${head.getBoundingClientRect().width}px`);
      table.style.setProperty("--columns", measured.join(" "));
      table.style.setProperty("--row", `${first.getBoundingClientRect().height / first.rows.length}px`);
      if (!widths) table.style.minWidth = `${table.scrollWidth}px`;
      table.classList.replace("measured", "steady");
    };
    const watcher = new ResizeObserver(steady);
    steady();
    watcher.observe(box.current);
    return () => {
      watcher.disconnect();
      table.classList.remove("steady");
      table.style.minWidth = "";
    };
  }, [isLong, columns, widths]);
}
