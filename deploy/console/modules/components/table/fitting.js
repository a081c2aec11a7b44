/** Whether a table fits its box. */
import { useLayoutEffect } from "../../html.js";

/** Tell the styles whether a table is as wide as its box: only then can its head follow the page. */
export function useFitting(box) {
  useLayoutEffect(() => {
    const table = box.current.firstElementChild;
    const look = () => box.current.classList.toggle("fits", table.scrollWidth <= box.current.clientWidth + 1);
    const watcher = new ResizeObserver(look);
    look();
    watcher.observe(box.current);
    watcher.observe(table);
    return () => watcher.disconnect();
  }, []);
}
