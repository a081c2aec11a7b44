/** The dialog that is open over a planning. */
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { AddDialog } from "./add-dialog.js";
import { CloseDialog } from "./close-dialog.js";
import { ExecuteDialog } from "./execute-dialog.js";
import { HeaderDialog } from "./header-dialog.js";
import { LineDialog } from "./line-dialog.js";
import { PdfDialog } from "./pdf-dialog.js";
import { ReplanDialog } from "./replan-dialog.js";
import { ReprocessDialog } from "./reprocess-dialog.js";
import { sheetOf } from "./sheet.js";

/** @param {{open: {kind: string, lineId?: any}, planning: any, catalogues: any, onClose: () => void, onDone: (next: any, text?: string) => void, onRefresh: () => any, onRun: (what: string, body: any) => void}} props */
export function PlanningDialog({ open, planning, catalogues, onClose, onDone, onRefresh, onRun }) {
  const changing = { planning, catalogues, onClose, onDone, onRefresh };
  const made = () => planning.documentos.filter(({ estado }) => estado === "creado");
  const closePdf = () => {
    onClose();
    onRefresh();
  };
  switch (open.kind) {
    case "execute": return html`<${ExecuteDialog} planning=${planning} sheet=${sheetOf(planning)} onClose=${onClose} onRun=${(body) => onRun("devoluciones", body)} />`;
    case "reprocess": return html`<${ReprocessDialog} planning=${planning} onClose=${onClose} onRun=${(body) => onRun("reprocesar", body)} />`;
    case "close": return html`<${CloseDialog} planning=${planning} onClose=${onClose} onDone=${(next) => onDone(next, t`Planificación cerrada.`)} />`;
    case "line": return html`<${LineDialog} key=${open.lineId} lineId=${open.lineId} ...${changing} />`;
    case "add": return html`<${AddDialog} ...${changing} />`;
    case "replan": return html`<${ReplanDialog} planning=${planning} onClose=${onClose} onDone=${onDone} onRefresh=${onRefresh} />`;
    case "header": return html`<${HeaderDialog} ...${changing} />`;
    case "pdf": return html`<${PdfDialog} planning=${planning} documents=${made()} onClose=${closePdf} />`;
    default: return null;
  }
}
