import{A as Xe,Ab as ho,B as Z,Bb as go,C as Ze,Cb as vo,D as ne,Db as yo,E as N,Eb as ce,F as eo,Fb as me,G as R,Gb as ko,Hb as ke,I as oo,Ia as q,Ib as Ce,J as j,Ja as ie,Jb as de,Kb as G,Nb as z,O as ee,Ob as O,P as to,Pb as Co,Q as ae,Qb as w,R as se,Rb as So,S as T,Sb as Po,Tb as xo,U as F,V as E,Vb as Do,W as re,X as Y,Y as ve,a as g,b as M,c as he,ca as K,d as H,e as C,f as Ve,g as r,h as Je,i as o,j as U,jb as ye,kb as no,nb as le,ob as ao,p as k,pb as so,q as A,qb as ro,r as ge,rb as io,sb as lo,tb as co,ub as uo,v as te,vb as mo,w as J,wb as po,x as Ye,xb as $o,y,yb as fo,z as S,zb as bo}from"./core-JE2JDABJ.js";var No=["codigo","cantidad"];function St(e){let t={};for(let i of No){let n=e.filter(({posibles:l})=>l[0]===i);n.length===1&&(t[i]=n[0].indice)}return t}function Eo({reason:e,filas:t,columnas:i,isBusy:n,onAnswer:l}){let[s,a]=g(()=>St(i)),c=H(null);M(()=>c.current?.querySelector("select")?.focus(),[]);let d=u=>Object.keys(s).find(p=>s[p]===u)??"",f=u=>p=>{let b=p.target.value,h=Object.entries(s).filter(([x,v])=>v!==u&&x!==b);a({...Object.fromEntries(h),...b&&{[b]:u}})},$=No.filter(u=>s[u]===void 0),m=()=>{$.length||l(Object.fromEntries(Object.keys(ke).map(u=>[u,s[u]??null])))};return r`<${ne} box=${c} class="panel flush column-choice" label=${o`Columnas de la planilla`} onSubmit=${m}>
    <header><h2>${o`¿Qué tiene cada columna?`}</h2><span class="muted" role="alert">${e}</span></header>
    <div class="table-box" tabindex="0" role="group" aria-label=${o`Primeras filas de la planilla`}>
      <table aria-label=${o`Primeras filas de la planilla`}>
        <thead>
          <tr>${i.map(({indice:u,posibles:p})=>r`<th key=${u} scope="col">
            <select aria-label=${o`Columna ${u+1}`} value=${d(u)} onChange=${f(u)}>
              <option value="" selected=${!d(u)}>${o`No se lee`}</option>
              ${p.map(b=>r`<option value=${b} selected=${d(u)===b}>${ke[b]}</option>`)}
            </select>
          </th>`)}</tr>
        </thead>
        <tbody>
          ${t.map((u,p)=>r`<tr key=${p}>${i.map(({indice:b})=>r`<td key=${b}>${u[b]??""}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
    <div class="actions">
      <button type="submit" class="main" disabled=${n||$.length>0}>${n&&r`<span class="busy"></span>`}${o`Usar estas columnas`}</button>
      <span class="muted" role="status">${$.length>0&&o`Falta indicar: ${$.map(u=>ke[u]).join(", ")}.`}</span>
    </div>
  <//>`}var Se=e=>e.map(({codigo:t,nombre:i})=>({value:t,label:`${t} \xB7 ${i}`}));function Pe({catalogues:e,value:t,onInput:i,fault:n}){let l=e.almacenes.filter(s=>!s.inactivo||s.whsCode===t).map(({whsCode:s,nombre:a,ubicaciones:c})=>({value:s,label:`${s} \xB7 ${a}${c?o` (con ubicaciones)`:""}`}));return r`<${E} label=${o`Bodega`} value=${t} onInput=${i} options=${l} empty=${o`Elija una bodega`} needed fault=${n} />`}function xe({catalogues:e,header:t,onChange:i,faultOf:n=()=>null}){let l=e.series.filter(a=>!a.bloqueada||a.serie===t.serie).map(({serie:a,nombre:c,siguiente:d})=>({value:String(a),label:`${c}${d?o`, sigue el ${d}`:""}`})),s=a=>c=>i(a,c===""?null:c);return r`<div class="fields">
    <${F} label=${o`Fecha de contabilización`} type="date" value=${t.fecha} onInput=${s("fecha")} fault=${n("fecha")} />
    <${F} label=${o`Fecha del documento`} type="date" value=${t.fechaDocumento} onInput=${s("fechaDocumento")} fault=${n("fechaDocumento")} />
    <${E} label=${o`Serie`} value=${t.serie===null?"":String(t.serie??"")} options=${l} empty=${o`La del ERP`}
      onInput=${a=>i("serie",a?Number(a):null)} fault=${n("serie")} />
    <${E} label=${o`Motivo`} value=${t.motivo} options=${Se(e.motivos)} empty=${o`Sin motivo`} onInput=${s("motivo")} fault=${n("motivo")} />
    <${E} label=${o`Tipo de traslado`} value=${t.indTraslado} options=${Se(e.indTraslado)} onInput=${s("indTraslado")} fault=${n("indTraslado")} />
    <${E} label=${o`Tipo de despacho`} value=${t.tipoDespacho} options=${Se(e.tipoDespacho)} empty=${o`Sin indicar`} onInput=${s("tipoDespacho")} fault=${n("tipoDespacho")} />
    ${e.camposDevolucion.map(a=>r`<${xt} key=${a.nombre} asked=${a} answers=${t.camposDevolucion??{}}
      onAnswers=${s("camposDevolucion")} fault=${n(`camposDevolucion.${a.nombre}`)} />`)}
    <${re} label=${o`Comentario`} wide value=${t.comentario} onInput=${s("comentario")} inputProps=${{rows:2,style:{minHeight:"4rem"}}} fault=${n("comentario")} />
  </div>`}var Pt={texto:{type:"text"},numero:{type:"number",inputProps:{step:"any"}},fecha:{type:"date"}};function xt({asked:e,answers:t,onAnswers:i,fault:n}){let{nombre:l,etiqueta:s,tipo:a,obligatorio:c,valores:d}=e,f=m=>i(Object.fromEntries(Object.entries({...t,[l]:m}).filter(([,u])=>u!==""))),$={label:s,needed:c,value:t[l]??"",onInput:f,fault:n};return d.length>0?r`<${E} ...${$} options=${Se(d)} empty=${o`Sin indicar`} />`:r`<${F} ...${$} ...${Pt[a]} />`}var To={whsCode:"",texto:"",formatoNumero:"auto",columnas:null},Oo={indTraslado:"7"},wo=(e,t,i)=>({...e,...t==="texto"&&{columnas:null},[t]:i});function Dt(e){let[t,i]=g(null),[n,l]=g(!1),s=H(0),a=H(!1);return{preview:t,isLooking:n,look:async d=>{if(!d.whsCode||!d.texto.trim())return;let f=++s.current;l(!0),e(null),a.current=!1;try{let $=await lo(d);f===s.current&&i({of:d,found:$})}catch($){f===s.current&&e(R($)),a.current=!0}f===s.current&&l(!1)},hasFailed:a}}function Nt(e,t,i){let n=e.lineas.map(({itemCode:s,cantidad:a,motivo:c,filas:d})=>({itemCode:s,cantidad:a,motivo:c??void 0,filas:d}));return{cabecera:{...Object.fromEntries(Object.entries(t).filter(([,s])=>s!==null)),whsCode:i},lineas:n,huella:e.huella}}function Io(){let[e,t]=g(To),[i,n]=g(Oo),[l,s]=g(null),[a,c]=g(!1),{preview:d,isLooking:f,look:$,hasFailed:m}=Dt(s),u=H(!0);M(()=>()=>{u.current=!1},[]);let p=l?.code==="open_planning_exists"?l:null,b=e.texto.trim()!==""||i!==Oo,h=U({service:j,name:"new-planning",typed:{paste:e,header:i},isTouched:b,isHeld:b&&!a&&!p,restore:v=>{t(v.paste),n(v.header),$(v.paste)},refusal:p?null:l});return{form:h,paste:e,header:i,preview:d,problem:l,existing:p,isLooking:f,isSaving:a,save:async v=>{c(!0),s(null),m.current=!1;try{let D=await co({...Nt(d.found,i,e.whsCode),permitirOtra:v||void 0});h.saved(),u.current&&ae(ee(["devoluciones",D.id])),se(o`Planificación ${D.numero} guardada.`)}catch(D){s(R(D)),c(!1)}},question:l?.code==="columns_unknown"?l:null,isFresh:d!==null&&Object.keys(To).every(v=>d.of[v]===e[v]),mayRetry:m.current&&l?.status===0,look:()=>$(e),change:v=>D=>t(B=>wo(B,v,D)),changeAndLook:v=>D=>{let B=wo(e,v,D);t(B),$(B)},changeHeader:(v,D)=>n(B=>({...B,[v]:D})),forgetProblem:()=>s(null)}}var De=[{key:"recepcion",title:o`Recepción`,value:({part:e})=>e.baseNum,cell:({part:e})=>r`N.º ${e.baseNum}<span class="note">${A(e.baseFecha)}${e.baseReferencia&&` \xB7 ${e.baseReferencia}`}</span>`},{key:"cantidad",title:o`Cantidad`,number:!0,value:({part:e})=>e.cantidad,cell:({line:e,part:t})=>r`${k(t.cantidad)} ${e.unidad}${t.factor!==1&&r`<span class="note">${o`${k(t.cantidadDocumento)} de ${k(t.factor)} ${e.unidad}`}</span>`}`},{key:"precio",title:o`Precio`,number:!0,value:({part:e})=>e.precio,cell:({part:e})=>te(e.precio,e.moneda,{isPrice:!0})},{key:"lote",title:o`Lote o serie`,value:({part:e})=>e.lote??e.serie,cell:({line:e,part:t})=>t.lote??t.serie??(e.gestion==="ninguna"?null:r`<${ye} kind="warn">${o`Por elegir`}<//>`)}],Lo={key:"proveedor",title:o`Proveedor`,head:!0,value:e=>e.supplier,cell:e=>e.supplier},Ne=e=>e.map((t,i)=>({...t,at:i}));var Et=Object.keys(ce);function Ro(...e){let t=e.map(i=>z(i).value);return t.includes(void 0)?void 0:G(t.reduce((i,n)=>i+O(n),0)/1e6)}var P=e=>e.lote??e.serie,Fo=(e,t)=>e.find(i=>P(i)===t)??e.find(i=>P(i).toUpperCase()===t.toUpperCase()),_=e=>me(e).isGone===!0,Q=e=>e.gestion!=="ninguna"&&e.asignaciones.some(({lote:t,serie:i})=>t===null&&i===null),Mo=e=>!e.excluida&&e.sinStock+e.sinEntrada+e.noDivisible>0;function Ao(e){let t=new Map;for(let i of e)for(let n of i.asignaciones)t.has(n.docId)||t.set(n.docId,[]),t.get(n.docId).push({line:i,part:n});return t}function X({documentos:e,lineas:t}){let i=Ao(t),n=(c,d)=>d.docId>c.docId&&!_(d),l=(c,d)=>["cardCode","moneda","sucursal"].every(f=>c[f]===d[f]),s=e.map(c=>{let d=i.get(c.docId)??[],f=c.estado==="omitido"&&d.length===0;return{...c,parts:d,lacks:c.estado==="pendiente"&&d.some(({line:$})=>Q($)),replacedBy:f?e.filter($=>n(c,$)&&l(c,$)):[]}}),a=({estado:c,lacks:d})=>Et.indexOf(c)-(d?.5:0);return s.sort((c,d)=>a(c)-a(d)||c.docId-d.docId)}var pe=e=>new Set(e.filter(({bloqueaLineas:t})=>t).map(({docId:t})=>t)),jo=e=>e.some(t=>!me(t).isPlanned),$e=(e,t)=>e.asignaciones.some(({docId:i})=>t.has(i));function Ue({lineas:e,documentos:t}){let i=new Set(t.filter(_).map(({docId:l})=>l)),n=l=>l.asignaciones.filter(({docId:s})=>i.has(s)).reduce((s,{cantidad:a})=>s+O(a),0);return e.map(l=>({...l,asignada:(O(l.asignada)-n(l))/1e6}))}function Ee({lineas:e,documentos:t}){let i=Ue({lineas:e,documentos:t}).filter(({excluida:a})=>!a),n=t.filter(a=>!_(a)),l=(a,c,d)=>Co(a,f=>f[c]??"",f=>f[d]).filter(([,f])=>f!==0),s=a=>l(i,"unidad",a);return{pedida:s("cantidad"),asignada:s("asignada"),sinStock:s("sinStock"),sinEntrada:s("sinEntrada"),noDivisible:s("noDivisible"),documentos:n.length,total:l(n,"moneda","total")}}function qo(e,t){let i=new Set(e.filter(({estado:d})=>d==="creado").map(({docId:d})=>d)),n=t.filter(({docId:d,estado:f})=>f==="creado"&&!i.has(d)).length,l=(...d)=>t.filter(({estado:f})=>d.includes(f)).length,s=l("error"),a=t.filter(d=>me(d).isUnclear).length;return{text:`${[n?y(n,o`devolución creada`,o`devoluciones creadas`):i.size?o`Ninguna devolución más`:o`Ninguna devolución creada`,s&&y(s,o`falló`,o`fallaron`),a&&o`${a} por aclarar`,l("en_aprobacion")&&o`${l("en_aprobacion")} en aprobación`,l("pendiente")&&y(l("pendiente"),o`pendiente`,o`pendientes`)].filter(Boolean).join(", ")}.`,kind:s?"bad":a||!n?"warn":"ok",open:t.filter(d=>me(d).isOpen)}}function _o({documentos:e,lineas:t}){let i=Ao(t),n=new Map;for(let s of e.filter(a=>!_(a))){n.has(s.cardCode)||n.set(s.cardCode,{...s,numbers:[],rows:new Map});let{rows:a,numbers:c}=n.get(s.cardCode);s.docNum!==null&&c.push(s.docNum);for(let{line:d,part:f}of i.get(s.docId)??[]){let $=f.lote??f.serie??(d.gestion==="ninguna"?"":o`por elegir`),m=JSON.stringify([d.itemCode,$]),u=a.get(m)??{key:m,itemCode:d.itemCode,descripcion:d.descripcion,unidad:d.unidad,lot:$,cantidad:0};a.set(m,{...u,cantidad:(O(u.cantidad)+O(f.cantidad))/1e6})}}let l=(s,a)=>s.itemCode.localeCompare(a.itemCode,"es",{numeric:!0})||s.lot.localeCompare(a.lot,"es",{numeric:!0});return[...n.values()].map(s=>({...s,rows:[...s.rows.values()].sort(l)})).filter(({rows:s})=>s.length>0)}var Ke=["bad","warn","now","ok",""];function fe({state:[e,t]}){return r`<${ye} kind=${t}>${e}<//>`}var Te=({state:e})=>r`<${fe} state=${de(yo,e)} />`,Oe=({estado:e,lacks:t})=>t?[o`Faltan lotes o series`,"warn"]:de(ce,e);function we(e){return e.estado==="devuelta"&&e.asignada<e.cantidad?[o`Devuelta en parte`,"warn"]:e.estado==="requiere_lotes"&&e.gestion==="series"?[o`Elegir series`,"warn"]:de(ko,e.estado)}function Ie(e,t,i,n){let[l,s]=g(null),a=C(()=>{let m=new Map;for(let[u,p]of e.map(t))m.set(u,{kind:p,count:(m.get(u)?.count??0)+1});return[...m].sort(([,u],[,p])=>Ke.indexOf(u.kind)-Ke.indexOf(p.kind))},[e]),c=a.some(([m])=>m===l)?l:null,d=C(()=>c?e.filter(m=>t(m)[0]===c):e,[e,c]),f=[[null,n,e.length],...a.map(([m,{count:u}])=>[m,m,u])],$=a.length>1&&r`<div class="states" role="group" aria-label=${i}>
    ${f.map(([m,u,p])=>r`<button type="button" class="small" key=${u} aria-pressed=${String(m===c)} onClick=${()=>s(m)}>${u} <b>${k(p)}</b></button>`)}
  </div>`;return[d,$]}var Tt=[],Ot=e=>e.docNum===null?o`el documento ${e.docId}`:o`la devolución N.º ${e.docNum}`,wt=[{key:"proveedor",title:o`Proveedor`,head:!0,value:e=>e.proveedor,cell:e=>r`${e.proveedor||e.cardCode}<span class="note">${o`Documento ${e.docId} · ${e.cardCode}${e.rut&&` \xB7 ${e.rut}`}${e.parte>1&&` \xB7 parte ${e.parte}`}`}</span>`},{key:"estado",title:o`Estado`,value:e=>Oe(e)[0],cell:e=>r`<${fe} state=${Oe(e)} />
      ${e.replacedBy.length>0&&r`<span class="note">${o`Lo ${e.replacedBy.length===1?o`reemplaza`:o`reemplazan`} ${e.replacedBy.map(Ot).join(o` y `)}.`}</span>`}
      ${e.mensaje&&r`<span class="note">${e.mensaje}</span>`}`},{key:"lineas",title:o`Líneas`,number:!0,value:e=>e.lineas,cell:e=>k(e.lineas)},{key:"total",title:o`Total`,number:!0,isMoney:!0,value:e=>e.total,adds:e=>_(e)?null:e.moneda,cell:e=>te(e.total,e.moneda)},{key:"docNum",title:o`Devolución`,number:!0,value:e=>e.docNum,cell:e=>e.docNum!==null&&`N.\xBA ${e.docNum}`},{key:"folio",title:o`Folio`,number:!0,value:e=>e.folio,cell:e=>e.folio}],It={key:"item",title:o`Artículo`,head:!0,value:({line:e})=>e.itemCode,cell:({line:e})=>r`<span class="nowrap mono">${e.itemCode}</span><span class="note">${e.descripcion}</span>`};function Le({planning:e,extra:t=Tt}){let i=C(()=>X(e),[e]),[n,l]=Ie(i,Oe,o`Documentos por estado`,o`Todos`),s=C(()=>({label:a=>o`Contenido del documento ${a.docId}, ${a.proveedor}`,has:a=>a.parts.length>0,content:a=>r`<${w} caption=${o`Artículos del documento ${a.docId}`} columns=${[It,...De,...t]} rows=${Ne(a.parts)} rowKey=${({at:c})=>c} />`}),[t]);return r`${l}${C(()=>r`<${w} caption=${o`Documentos por proveedor`} layout="documentos de devolución" total=${n.length<i.length?o`Total de estos`:o`Total`} columns=${wt} rows=${n} rowKey=${a=>a.docId} inside=${s}
    rowClass=${a=>a.estado==="omitido"?"past":""} empty=${o`Nada de esto puede volver a un proveedor: las líneas dicen por qué.`} />`,[n,s])}`}function Re({planning:e}){let t=C(()=>Ee(e),[e]),i=[[o`Se pide`,J(t.pedida),""],[o`Vuelve al proveedor`,J(t.asignada),"ok"],[o`Sin stock`,J(t.sinStock),t.sinStock.length?"bad":""],[o`Sin entrada abierta`,J(t.sinEntrada),t.sinEntrada.length?"bad":""],[o`No divisible`,J(t.noDivisible),t.noDivisible.length?"warn":""],[o`Documentos`,[k(t.documentos)],""],[o`Total sin impuestos`,Ye(t.total),""]];return r`<dl class="figures">
    ${i.map(([n,l,s])=>r`<div><dt>${n}</dt>${l.map(a=>r`<dd class=${s}>${a}</dd>`)}</div>`)}
  </dl>`}function Fe({planning:e,rowKey:t,extra:i,caption:n}){let{documentos:l}=e,s=C(()=>Ue(e),[e]),[a,c]=Ie(s,we,o`Líneas por estado`,o`Todas`),d=C(()=>{let $=new Map(l.map(({docId:u,proveedor:p})=>[u,p])),m=u=>Ne(u.asignaciones.map(p=>({line:u,part:p,supplier:$.get(p.docId)||p.cardCode})));return{label:u=>o`Recepciones de ${u.itemCode}`,has:u=>u.asignaciones.length>0,content:u=>r`<${w} caption=${o`Recepciones de ${u.itemCode}`} columns=${[Lo,...De]} rows=${m(u)} rowKey=${({at:p})=>p} />`}},[l]),f=C(()=>[...Lt.filter(({key:$,isRare:m})=>!m||s.some(u=>u[$]>0)),...i],[s,i]);return r`${c}${C(()=>r`<${w} caption=${n} layout="líneas de devolución" total=${(a.length<s.length?o`Total de estas`:o`Total`)+(a.some(({excluida:$})=>$)?o` sin las excluidas`:"")} isChoosable columns=${f} rows=${a} rowKey=${t} inside=${d}
    rowClass=${$=>$.excluida?"out":""} empty=${o`No hay líneas: añada artículos con su código y cantidad.`} />`,[a,f,d])}`}var be=e=>e.excluida?null:e.unidad??"",Lt=[{key:"item",title:o`Artículo`,head:!0,text:e=>e.itemCode,value:e=>e.itemCode,cell:e=>r`<span class="nowrap mono">${e.itemCode}</span><span class="note">${e.descripcion}</span>`},{key:"cantidad",title:o`Se pide`,number:!0,value:e=>e.cantidad,adds:be,cell:e=>`${k(e.cantidad)} ${e.unidad??""}`},{key:"asignada",title:o`Vuelve`,number:!0,value:e=>e.asignada,adds:be,cell:e=>k(e.asignada)},{key:"sinStock",isRare:!0,title:o`Sin stock`,number:!0,value:e=>e.sinStock,adds:be,cell:e=>e.sinStock>0&&k(e.sinStock)},{key:"sinEntrada",isRare:!0,title:o`Sin entrada`,number:!0,value:e=>e.sinEntrada,adds:be,cell:e=>e.sinEntrada>0&&k(e.sinEntrada)},{key:"noDivisible",isRare:!0,title:o`No divisible`,number:!0,value:e=>e.noDivisible,adds:be,cell:e=>e.noDivisible>0&&k(e.noDivisible)},{key:"stock",title:o`En bodega`,number:!0,value:e=>e.stock,cell:e=>k(e.stock)},{key:"estado",title:o`Estado`,value:e=>we(e)[0],cell:e=>r`<${fe} state=${we(e)} />${e.mensaje&&r`<span class="note">${e.mensaje}</span>`}`}];var Rt=[{key:"fila",title:o`Fila`,number:!0,cell:e=>e.fila},{key:"columna",title:o`Columna`,cell:e=>Ce[e.columna]??e.columna},{key:"valor",title:o`Valor`,cell:e=>r`<code>${e.valor}</code>`},{key:"message",title:o`Qué pasa`,cell:e=>e.message}],Ft=[{key:"filas",title:o`Filas`,cell:e=>e.filas.join(", ")}];function Ho({preview:e,isFresh:t,children:i}){let{errores:n,avisos:l}=e;return r`<section class="stack" aria-label=${o`Qué puede volver`} aria-live="polite">
    ${!t&&r`<${S} kind="warn">${o`Esto es de antes del último cambio de la planilla.`}<//>`}
    <${Re} planning=${e} />
    ${i}
    ${n.length>0&&r`<${Bo} title=${y(n.length,o`celda no se pudo leer y su fila quedó fuera`,o`celdas no se pudieron leer y sus filas quedaron fuera`)} notes=${n} />`}
    <section class="panel flush">
      <header><h2>${y(e.lineas.length,o`artículo`,o`artículos`)}</h2><span class="muted small">${y(e.filasLeidas,o`fila leída`,o`filas leídas`)}</span></header>
      <${Fe} caption=${o`Artículos de la planilla`} planning=${e} rowKey=${s=>`${s.itemCode} ${s.motivo}`} extra=${Ft} />
    </section>
    ${l.length>0&&r`<${Bo} title=${y(l.length,o`aviso`,o`avisos`)} notes=${l} />`}
    <section class="panel flush">
      <header><h2>${y(e.documentos.length,o`documento por proveedor`,o`documentos por proveedor`)}</h2></header>
      <${Le} planning=${e} />
    </section>
  </section>`}function Bo({title:e,notes:t}){return r`<section class="panel flush">
    <header><h2>${e}</h2></header>
    <${w} caption=${e} columns=${Rt} rows=${t} rowKey=${i=>`${i.fila} ${i.columna} ${i.code}`} />
  </section>`}var Mt=[{value:"auto",label:o`Reconocer por la planilla`},{value:"es",label:o`1.234,56 (Chile)`},{value:"en",label:"1,234.56"}];function Uo({catalogues:e}){let t=Io(),{form:i,preview:n,problem:l,question:s,existing:a,isFresh:c,isSaving:d}=t,f=t.isLooking||d;return r`<${ne} box=${i.box} class="panel" onSubmit=${t.look}><${At} catalogues=${e} state=${t} isBusy=${f} /><//>
    ${!a&&!s&&r`<${T} problem=${l} onRetry=${t.mayRetry&&t.look} />`}
    ${s&&r`<${Eo} key=${s.requestId} reason=${s.detail} filas=${s.body.filas} columnas=${s.body.columnas} isBusy=${f} onAnswer=${t.changeAndLook("columnas")} />`}
    ${n&&r`<${Ho} preview=${n.found} isFresh=${c}>
      <div class="actions">
        <button type="button" class="main" disabled=${!c||f||!n.found.lineas.length} onClick=${()=>t.save(!1)}>
          ${d&&r`<span class="busy"></span>`}${o`Guardar planificación`}
        </button>
        <span class="muted">${c?o`Todavía no se crea nada en el ERP.`:o`La planilla cambió: vea primero qué puede volver.`}</span>
      </div>
    <//>`}
    ${a&&r`<${jt} existing=${a} onClose=${t.forgetProblem} onSaveAnother=${()=>t.save(!0)} />`}`}function At({catalogues:e,state:t,isBusy:i}){let{form:n,paste:l,header:s,problem:a,isFresh:c,changeAndLook:d}=t,f=m=>{let u=m.target;setTimeout(()=>d("texto")(u.value))},$=a?.errors.some(m=>m.path.startsWith("cabecera."))??!1;return r`<div class="stack">
    <${Xe} form=${n} />
    <div class="fields">
      <${Pe} catalogues=${e} value=${l.whsCode} onInput=${d("whsCode")} fault=${a?.of("whsCode")} />
      <${E} label=${o`Cómo están escritos los números`} value=${l.formatoNumero} onInput=${d("formatoNumero")} options=${Mt} />
    </div>
    <${re} label=${o`Planilla`} value=${l.texto} onInput=${t.change("texto")} fault=${a?.of("texto")}
      hint=${o`Con o sin encabezados. Al pegar se muestra enseguida qué puede volver y qué no.`}
      inputProps=${{class:"paste",spellcheck:!1,onPaste:f,placeholder:Object.values(Ce).join("	")}} />
    <details open=${$||e.camposDevolucion.some(({obligatorio:m})=>m)}>
      <summary>${o`Fecha, serie, motivo y otros datos`}</summary>
      <${xe} catalogues=${e} header=${s} faultOf=${m=>a?.of(`cabecera.${m}`)} onChange=${t.changeHeader} />
    </details>
    <div class="actions">
      <button type="submit" class=${c?"":"main"} disabled=${i||!l.whsCode||!l.texto.trim()}>
        ${t.isLooking&&r`<span class="busy"></span>`}${o`Ver qué puede volver`}
      </button>
      ${l.columnas&&r`<button type="button" class="plain" disabled=${i} onClick=${()=>d("columnas")(null)}>${o`Elegir otras columnas`}</button>`}
      <button type="button" onClick=${()=>n.leave(()=>ae(to("#/devoluciones")))}>${o`Cancelar`}</button>
      ${!l.whsCode&&l.texto.trim()&&r`<span class="muted">${o`Falta elegir la bodega.`}</span>`}
    </div>
  </div>`}function jt({existing:e,onClose:t,onSaveAnother:i}){return r`<${N} title=${o`Ya hay una planificación abierta`} onClose=${t} foot=${r`
      <a class="button main" autofocus href=${ee(["devoluciones",e.body.id])}>${o`Abrir la planificación ${e.body.id}`}</a>
      <button type="button" onClick=${i}>${o`Guardar otra con lo pegado`}</button>`}>
    <p>${e.detail}</p>
    <p class="muted">${o`Si abre esa, lo que pegó aquí no se guarda en el ERP; queda como borrador en esta pestaña.`}</p>
  <//>`}function Ha(){let e=q(le,[]);return r`<${K} title=${o`Nueva devolución`} crumbs=${[["#/devoluciones",o`Planificaciones`]]}
      about=${o`Copie en la planilla las columnas de código y cantidad, y péguelas aquí.`} />
    <${ie} from=${e}>${t=>r`<${Uo} catalogues=${t} />`}<//>`}var qt=[{key:"numero",title:"N.\xBA",head:!0,cell:e=>r`<a href=${ee(["devoluciones",e.id])}>${e.numero}</a>`},{key:"estado",title:o`Estado`,cell:e=>r`<${Te} state=${e.estado} />`},{key:"whsCode",title:o`Bodega`,cell:e=>e.whsCode},{key:"fecha",title:o`Fecha`,cell:e=>A(e.fecha)},{key:"usuario",title:o`Quién`,cell:e=>e.usuario},{key:"creada",title:o`Creada`,cell:e=>ge(e.creada)},{key:"totalLineas",title:o`Líneas`,number:!0,cell:e=>k(e.totalLineas)},{key:"totalDocumentos",title:o`Documentos`,number:!0,cell:e=>k(e.totalDocumentos)},{key:"creados",title:o`Creados`,number:!0,cell:e=>k(e.creados)},{key:"errores",title:o`Con error`,number:!0,cell:e=>e.errores>0&&k(e.errores)}];function ns({query:e}){let t={status:e.get("estado")??"O",whsCode:e.get("bodega")??"",desde:e.get("desde")??"",pagina:Number(e.get("pagina")??1),tamano:20},i=q(()=>ro(t),[e.toString()]),n=q(le,[]),l=a=>{let c={estado:t.status||"todas",bodega:t.whsCode,desde:t.desde,...a};ae(ee(["devoluciones"],c),{replace:!0})};t.status==="todas"&&(t.status="");let s=(n.data?.almacenes??[]).map(({whsCode:a,nombre:c})=>({value:a,label:`${a} \xB7 ${c}`}));return r`<${K} title=${o`Planificaciones de devolución`}>
      <a class="button main" href="#/devoluciones/nueva">${o`Nueva devolución`}</a>
    <//>
    <section class="panel flush">
      <header>
        <${ne} submitsOnEnter class="row" onSubmit=${()=>i.load()}>
          <${E} label=${o`Estado`} value=${t.status||"todas"} onInput=${a=>l({estado:a})}
            options=${[{value:"O",label:o`Abiertas`},{value:"C",label:o`Cerradas`},{value:"todas",label:o`Todas`}]} />
          <${E} label=${o`Bodega`} value=${t.whsCode} onInput=${a=>l({bodega:a})} options=${s} empty=${o`Todas`} />
          <${F} label=${o`Desde`} type="date" value=${t.desde} onInput=${a=>l({desde:a})} />
        <//>
      </header>
      <${ie} from=${i}>
        ${a=>r`<${w} caption=${o`Planificaciones`} columns=${qt} rows=${a.datos} rowKey=${c=>c.id}
            empty=${r`${o`Ninguna así. Quite alguna condición, o pegue una planilla en`} <a href="#/devoluciones/nueva">${o`Nueva devolución`}</a>.`} />
          <${So} page=${a.pagina} pages=${a.paginas} total=${a.total} what=${o`planificaciones`} one=${o`planificación`} onPage=${c=>l({pagina:c})} />`}
      <//>
    </section>`}var Ko={key:"editar",title:o`Cambiar`,quiet:!0,controls:!0},Go=e=>Q(e)?o`Elegir ${e.gestion}`:o`Cambiar`;function zo(e,t,i){return C(()=>{let n=pe(e?.documentos??[]),l=s=>r`<button type="button" class="small" onClick=${()=>i(s.lineId)} aria-label=${`${Go(s)} ${s.itemCode}`}>${Go(s)}</button>`;return{ofLines:[{...Ko,cell:s=>t&&!$e(s,n)&&l(s)}],ofItems:t?[{...Ko,cell:({line:s})=>Q(s)&&!$e(s,n)&&l(s)}]:[]}},[e,t])}function Qo(e,t){let i=e?.camposDevolucion??[],n=t.camposDevolucion??{};return[...new Set([...i.map(({nombre:s})=>s),...Object.keys(n)])].map(s=>{let a=i.find(({nombre:d})=>d===s),c=n[s]??null;return[a?.etiqueta??s,a?.valores.find(({codigo:d})=>d===c)?.nombre??c]})}function Wo(e,t){return(e?.camposDevolucion??[]).filter(({obligatorio:n})=>n).filter(({nombre:n})=>!t.camposDevolucion?.[n]).map(({etiqueta:n})=>n)}function Ge(e,t){let i=n=>JSON.stringify(n??null);return Object.fromEntries(Object.entries(t).filter(([n,l])=>i(l)!==i(e[n])))}var oe=6,ze=["stream_ended","no_connection"];function Vo({outcome:e,problem:t}){let{text:i,kind:n,open:l}=e;return r`<${S} kind=${n} title=${i} live>
    ${t&&!ze.includes(t.code)&&r`<p>${t.detail}</p>`}
    ${l.length>0&&r`<ul>
      ${l.slice(0,oe).map(s=>r`<li key=${s.docId}>${s.proveedor||s.cardCode}: ${s.mensaje??de(ce,s.estado)[0]}</li>`)}
      ${l.length>oe&&r`<li>${o`y ${l.length-oe} más, en la tabla`}</li>`}
    </ul>`}
    ${l.some(({estado:s})=>s==="error")&&r`<p>${o`Corrija la causa y pulse «Reprocesar»: lo creado no se repite.`}</p>`}
  <//>`}function Jo(){let[e,t]=g(!1);return M(()=>{let n=()=>t(!0),l=()=>t(!1);return addEventListener("beforeprint",n),addEventListener("afterprint",l),()=>{removeEventListener("beforeprint",n),removeEventListener("afterprint",l)}},[]),{isPrinting:e,print:()=>{t(!0),setTimeout(()=>window.print())}}}function Yo({planning:e}){let{numero:t,cabecera:i}=e;return r`<div class="pick-list">${_o(e).map(n=>r`<section key=${n.cardCode}>
    <header>
      <h2>${n.proveedor||n.cardCode}</h2>
      <p>${o`Lista de retiro de la planificación ${t} · Bodega ${i.whsCode} · ${A(i.fecha)}`}</p>
      <p>${n.cardCode}${n.rut&&` \xB7 RUT ${n.rut}`}${n.numbers.length>0&&` \xB7 ${n.numbers.length===1?o`Devolución`:o`Devoluciones`} N.\xBA ${n.numbers.join(", ")}`}</p>
    </header>
    <table>
      <thead><tr><th scope="col">${o`Hecho`}</th><th scope="col">${o`Artículo`}</th><th scope="col">${o`Descripción`}</th><th scope="col">${o`Lote o serie`}</th><th scope="col" class="number">${o`Cantidad`}</th></tr></thead>
      <tbody>${n.rows.map(l=>r`<tr key=${l.key}>
        <td><span class="tick"></span></td><th scope="row" class="mono">${l.itemCode}</th><td>${l.descripcion}</td><td>${l.lot}</td><td class="number">${k(l.cantidad)} ${l.unidad}</td>
      </tr>`)}</tbody>
    </table>
    <p>${y(n.rows.length,o`fila`,o`filas`)}</p>
  </section>`)}</div>`}var _t=0,Me=()=>({id:++_t,itemCode:"",cantidad:"",motivo:""}),Bt=e=>e.itemCode.trim()===""&&e.cantidad.trim()==="",Xo=e=>e.itemCode.trim()!==""&&e.cantidad.trim()!=="";function Zo(){let[e,t]=g(()=>[Me()]),i=H(null),n=()=>i.current.querySelector("fieldset:last-of-type input").focus();he(n,[e.at(-1).id]);let l=c=>{let d=c.at(-1).itemCode.trim()==="";t(d?c:[...c,Me()]),d&&n()};return{rows:e,box:i,scanned:c=>d=>{if(!Z(d))return;d.preventDefault();let f=c.itemCode.trim();if(f==="")return;let $=e.find(p=>p!==c&&p.itemCode.trim().toUpperCase()===f.toUpperCase()),m={...c,cantidad:c.cantidad.trim()||"1"},u=$&&Ro($.cantidad,m.cantidad);u!==void 0?t(e.map(p=>p===$?{...p,cantidad:u}:p===c?{...c,itemCode:"",cantidad:""}:p)):l(e.map(p=>p===c?m:p))},amountRead:c=>{Z(c)&&(c.preventDefault(),l(e))},setRows:t,written:e.filter(c=>!Bt(c)),add:()=>t([...e,Me()]),remove:c=>t(e.filter(d=>d.id!==c)),set:(c,d)=>f=>t($=>$.map(m=>m.id===c?{...m,[d]:f}:m)),restore:c=>t(c.map(d=>({...d,id:Me().id})))}}function I(e,t,{isBusy:i=!1,problem:n=null,isDisabled:l=!1,kind:s="main"}={}){return r`<button type="button" onClick=${e}>${o`Cancelar`}</button>
    <button type="submit" class=${s} disabled=${i||ue(n)||l}>${i&&r`<span class="busy"></span>`}${t}</button>`}function je(e){let t=e.map(([n,l])=>({path:n,...z(l)})),i=t.filter(({fault:n})=>n).map(({path:n,fault:l})=>({path:n,message:l}));if(i.length)throw new eo({code:"no_number",detail:o`Corrija las cantidades. No se envió nada.`,errors:i});return t.map(({value:n})=>n)}var ue=e=>e?.code==="stale_version",Ae={isBusy:!1,problem:null,isRefreshed:!1,failure:null};function W(e,t){let[i,n]=g(Ae);return{...i,submit:async a=>{n({...Ae,isBusy:!0});try{e(await a())}catch(c){n({...Ae,problem:R(c)})}},refresh:async()=>{n(c=>({...c,isBusy:!0}));let a=await t();n(c=>a?{...c,isBusy:!1,failure:a}:{...Ae,isRefreshed:!0})}}}function V({sending:e}){let t=H(null);return M(()=>{e.isRefreshed&&t.current.closest("form").querySelector(".dialog-body :is(input, select, textarea), [type=submit]")?.focus()},[e.isRefreshed]),e.isRefreshed?r`<div ref=${t}><${S} kind="ok" live>${o`Esto es lo que hay ahora. Lo que usted escribió sigue aquí: compruébelo y guárdelo.`}<//></div>`:r`<${T} problem=${e.problem}>
    ${e.failure&&r`<p>${o`No se pudo traer: ${e.failure.detail}`}</p>`}
    ${ue(e.problem)&&r`<div class="actions"><button type="button" disabled=${e.isBusy} onClick=${e.refresh}>${o`Traer lo nuevo`}</button></div>`}
  <//>`}var et=(e,t)=>`lineas[${e}].${t}`;function Ht(e){let t=je(e.map(({cantidad:i},n)=>[et(n,"cantidad"),i]));return e.map(({itemCode:i,motivo:n},l)=>({itemCode:i.trim(),cantidad:t[l],motivo:n||void 0}))}function ot({planning:e,catalogues:t,onClose:i,onDone:n,onRefresh:l}){let s=Zo(),{written:a}=s,d=W(b=>{$.saved(),n(b,`${y(a.length,o`artículo añadido`,o`artículos añadidos`)}.`)},l),f=a.length>0,$=U({service:j,name:`add/${e.id}`,typed:a,isTouched:f,isHeld:f&&!d.isBusy,restore:s.restore,refusal:d.problem}),m=()=>$.leave(i),u=()=>{s.setRows(a),d.submit(()=>po(e.id,{version:e.version,lineas:Ht(a)}))},p=(t?.motivos??[]).map(({codigo:b,nombre:h})=>({value:b,label:`${b} \xB7 ${h}`}));return r`<${N} large form=${$} title=${o`Añadir artículos`} onClose=${m} onSubmit=${u}
      foot=${I(m,o`Añadir y planificar`,{...d,isDisabled:a.length===0||!a.every(Xo)})}>
    <p class="muted">${o`Escriba los códigos o léalos con el lector: cada lectura pasa al artículo siguiente, y la del mismo artículo suma uno.`}</p>
    <div class="stack tight" data-lines ref=${s.box}>
      ${s.rows.map((b,h)=>r`<${Ut} key=${b.id} row=${b} at=${h} typed=${s} reasons=${p} faultOf=${x=>d.problem?.of(et(h,x))} />`)}
      <div class="actions"><button type="button" class="small" data-another onClick=${s.add}>${o`Otro artículo`}</button></div>
    </div>
    <${V} sending=${d} />
  <//>`}function Ut({row:e,at:t,typed:i,reasons:n,faultOf:l}){let{set:s,scanned:a,amountRead:c}=i;return r`<fieldset class="row"><legend class="unseen">${o`Artículo ${t+1}`}</legend>
    <${F} label=${o`Artículo`} grow value=${e.itemCode} onInput=${s(e.id,"itemCode")} fault=${l("itemCode")}
      inputProps=${{autocomplete:"off",spellcheck:!1,onKeyDown:a(e)}} />
    <${F} label=${o`Cantidad`} value=${e.cantidad} onInput=${s(e.id,"cantidad")} fault=${l("cantidad")}
      inputProps=${{inputmode:"decimal",autocomplete:"off",onKeyDown:c}} />
    <${E} label=${o`Motivo`} value=${e.motivo} onInput=${s(e.id,"motivo")} options=${n} empty=${o`El de la devolución`} fault=${l("motivo")} />
    ${i.rows.length>1&&r`<button type="button" class="plain small" aria-label=${o`Quitar el artículo ${t+1}`} onClick=${()=>i.remove(e.id)}>${o`Quitar`}</button>`}
  </fieldset>`}function tt({planning:e,onClose:t,onDone:i}){let[n,l]=g(""),s=W(d=>{a.saved(),i(d)}),a=U({service:j,name:`cerrar/${e.id}`,typed:n,isTouched:n!=="",isHeld:n!==""&&!s.isBusy,restore:l,refusal:s.problem}),c=()=>a.leave(t);return r`<${N} form=${a} title=${o`Cerrar la planificación`} onClose=${c} onSubmit=${()=>s.submit(()=>bo(e.id,n||null))}
      foot=${I(c,o`Cerrar planificación`,{...s,kind:"danger main"})}>
    <p>${o`Lo que no se creó se descarta. No se puede volver a abrir.`}</p>
    <${re} label=${o`Motivo`} value=${n} onInput=${l} fault=${s.problem?.of("motivo")} inputProps=${{rows:2,style:{minHeight:"4rem"}}} />
    <${V} sending=${s} />
  <//>`}function nt({planning:e,sheet:t,onClose:i,onRun:n}){let l=t.filter(({estado:p})=>p==="pendiente"),s=l.filter(({lacks:p})=>!p),a=l.filter(({lacks:p})=>p),[c,d]=g(()=>new Set(s.map(({docId:p})=>p))),f=p=>b=>{let h=new Set(c);b?h.add(p):h.delete(p),d(h)},$=c.size===l.length,m=()=>n({version:e.version,...$?{}:{documentos:[...c]}}),u=p=>`${p.proveedor||p.cardCode} (${y(p.lineas,o`línea`,o`líneas`)}, ${te(p.total,p.moneda)})`;return r`<${N} title=${o`Crear las devoluciones en el ERP`} onClose=${i} onSubmit=${m}
      foot=${I(i,o`Crear ${y(c.size,o`devolución`,o`devoluciones`)}`,{isDisabled:c.size===0})}>
    <p>${o`Cada documento se crea una sola vez, aunque se corte la conexión.`}</p>
    <fieldset class="stack tight">
      <legend>${o`Documentos`}</legend>
      ${s.map(p=>r`<${Y} key=${p.docId} checked=${c.has(p.docId)} onInput=${f(p.docId)} label=${u(p)} />`)}
    </fieldset>
    ${a.length>0&&r`<${S} kind="warn" title=${y(a.length,o`documento queda fuera hasta que elija sus lotes o series`,o`documentos quedan fuera hasta que elija sus lotes o series`)}>
      <ul>${a.map(p=>r`<li key=${p.docId}>${u(p)}</li>`)}</ul>
    <//>`}
  <//>`}function at({planning:e,catalogues:t,onClose:i,onDone:n,onRefresh:l}){let s=e.cabecera,[a,c]=g({}),d=W(h=>{p.saved(),n(h,o`Datos cambiados.`)},l),f=Ge(s,a),$={...s,...a},m=(h,x)=>c(v=>Ge(s,{...v,[h]:x})),u=Object.keys(f).length>0,p=U({service:j,name:`datos/${e.id}`,typed:a,isTouched:u,isHeld:u&&!d.isBusy,restore:c,stamp:e.version,refusal:d.problem}),b=()=>p.leave(i);return r`<${N} large form=${p} title=${o`Datos de la devolución`} onClose=${b}
      onSubmit=${()=>d.submit(()=>uo(e.id,{version:e.version,...f}))}
      foot=${I(b,o`Guardar`,{...d,isDisabled:!u})}>
    <${Pe} catalogues=${t} value=${$.whsCode} onInput=${h=>m("whsCode",h)} fault=${d.problem?.of("whsCode")} />
    ${f.whsCode&&r`<${S} kind="warn">${o`Con otra bodega se planifica todo de nuevo.`}<//>`}
    <${xe} catalogues=${t} header=${$} onChange=${m} faultOf=${h=>d.problem?.of(h)} />
    <${V} sending=${d} />
  <//>`}var Qe=e=>`lote ${e}`;function qe(e){let{leer:t}=e.target.form.elements;!Z(e)||!t||(e.preventDefault(),t.focus())}function st({id:e,version:t},i){let n=i.gestion!=="ninguna",l=q(()=>n?fo(e,i.lineId):Promise.resolve({lotes:[]}),[i.lineId,t]),[s,a]=g({}),c=C(()=>Object.fromEntries((l.data?.lotes??[]).map(b=>[P(b),s[P(b)]??(b.elegida?G(b.elegida):"")])),[l.data,s]),d=Object.keys(s).length>0,f=Object.entries(c).filter(([,b])=>b.trim()!==""),$=f.map(([b,h])=>[b,z(h).value]).filter(([,b])=>b>0),m=d&&!l.data,u=!d||m?{}:i.gestion==="series"?{series:$.map(([b])=>b)}:{lotes:$.map(([b,h])=>({lote:b,cantidad:h}))},p=$.reduce((b,[,h])=>b+h,0);return{lots:l,amounts:c,total:p,changes:u,isUnread:m,typed:f.map(([b,h])=>[Qe(b),h]),picked:s,setPicked:a,pick:(b,h)=>a(x=>({...x,[b]:h}))}}function rt({picks:e,line:t,isRaised:i,what:n}){let[l,s]=g(""),[a,c]=g(null),d=m=>{s(m),c(null)},f=m=>{if(!e.lots.data)return{fault:o`Todavía se está leyendo qué hay en la bodega.`};let u=Fo(e.lots.data.lotes,m);if(!u)return{fault:o`En la bodega no hay ${n} ${m} de este artículo.`};let p=z(e.amounts[P(u)]).value??0,b=O(t.asignada)-O(e.total),h=Math.min(O(u.disponible),O(p)+b)/1e6;return h<=p&&b<=0&&i?{fault:o`Guarde primero la cantidad nueva; después lea lo que falta.`}:h<=p?{fault:b>0?o`De ${P(u)} ya está elegido todo lo disponible.`:o`Ya está elegido todo lo que vuelve.`}:(e.pick(P(u),G(h)),{hint:`${P(u)}: ${k(h)}.`})},$=m=>{if(!Z(m))return;m.preventDefault();let u=l.trim();if(u==="")return;let p=f(u);c(p),p.hint?s(""):m.target.select()};return r`<${F} label=${o`Leer ${n}`} value=${l} onInput=${d} hint=${a?.hint??o`Con el lector, o escriba y pulse Enter.`} fault=${a?.fault}
    inputProps=${{name:"leer",autocomplete:"off",spellcheck:!1,onKeyDown:$,autofocus:Q(t)}} />`}function it({picks:e,line:t,isRaised:i,faultOf:n}){let l=t.gestion==="series",s=l?o`Números de serie`:o`Lotes`,{lots:a,amounts:c,total:d}=e,f=()=>{let m=O(t.asignada);for(let u of a.data.lotes){let p=Math.min(O(u.disponible),m);e.pick(P(u),p>0?G(p/1e6):""),m-=Math.max(p,0)}},$=[{key:"name",title:l?o`Serie`:o`Lote`,head:!0,cell:P},{key:"vence",title:o`Vence`,cell:m=>A(m.vence)},{key:"ingreso",title:o`Ingresó`,cell:m=>A(m.ingreso)},{key:"disponible",title:o`Disponible`,number:!0,cell:m=>k(m.disponible)},{key:"pick",title:l?o`Vuelve`:o`Cuánto vuelve`,controls:!0,cell:m=>l?r`<input type="checkbox" aria-label=${o`Devolver ${P(m)}`} checked=${c[P(m)]!==""} disabled=${m.disponible<=0}
            onChange=${u=>e.pick(P(m),u.target.checked?"1":"")} />`:r`<${Kt} name=${P(m)} value=${c[P(m)]} fault=${n(Qe(P(m)))} onInput=${u=>e.pick(P(m),u)} />`}];return r`<section class="stack tight">
    <div class="page-head"><h3>${s}</h3>
      <span role="status" class="muted">${o`${k(d)} de ${y(t.asignada,o`elegido`,o`elegidos`)}`}</span>
      ${a.data?.lotes.length>0&&r`<button type="button" class="small" onClick=${f}>${o`Tomar los que vencen primero`}</button>`}
    </div>
    <${rt} picks=${e} line=${t} isRaised=${i} what=${l?"serie":"lote"} />
    <${T} problem=${a.problem} onRetry=${a.load} />
    ${a.data?r`<${w} caption=${s} columns=${$} rows=${a.data.lotes} rowKey=${P} empty=${o`No hay existencias de este artículo en la bodega: baje la cantidad o deje fuera la línea.`} />`:!a.problem&&r`<${ve} low />`}
  </section>`}function Kt({name:e,value:t,fault:i,onInput:n}){let l=Ve();return r`<input ref=${s=>Ze(s)} inputmode="decimal" autocomplete="off" aria-label=${o`Cantidad de ${e}`} aria-invalid=${i?"true":void 0}
      aria-describedby=${i?l:void 0} value=${t} onInput=${s=>n(s.target.value)} onKeyDown=${qe} />
    ${i&&r`<span class="fault" id=${l}>${i}</span>`}`}function lt({planning:e,lineId:t,catalogues:i,onClose:n,onDone:l,onRefresh:s}){let a=C(()=>e.lineas.find(L=>L.lineId===t),[e]),[c,d]=g({}),f=L=>He=>d(Ct=>({...Ct,[L]:He})),{quantity:$=G(a.cantidad),isOut:m=a.excluida,reason:u=a.motivo??"",supplier:p=a.cardCode??""}=c,b=st(e,a),h=W(L=>{Be.saved(),l(L,`${a.itemCode}: cambiado.`)},s),{value:x}=z($),v={...x!==a.cantidad&&{cantidad:x},...m!==a.excluida&&{excluida:m},...u!==(a.motivo??"")&&{motivo:u||null},...p!==(a.cardCode??"")&&{cardCode:p||null},...b.changes},D=()=>(je([["cantidad",$],...b.typed]),mo(e.id,a.lineId,{version:e.version,...v})),B=Object.keys(v).length>0||b.isUnread,Be=U({service:j,name:`line/${e.id}/${a.lineId}`,stamp:e.version,typed:{touched:c,picked:b.picked},isTouched:B,isHeld:B&&!h.isBusy,restore:L=>{d(L.touched??{}),b.setPicked(L.picked??{})},refusal:h.problem}),We=()=>Be.leave(n),kt=Gt(e,a);return r`<${N} large=${a.gestion!=="ninguna"} form=${Be} title=${`${a.itemCode} \xB7 ${a.descripcion}`} onClose=${We}
      onSubmit=${()=>h.submit(D)}
      foot=${I(We,o`Guardar`,{...h,isDisabled:$.trim()===""||!B||b.isUnread})}>
    <div class="fields">
      <${F} label=${o`Cantidad${a.unidad?` (${a.unidad})`:""}`} value=${$} onInput=${f("quantity")} needed
        hint=${o`Hay ${k(a.stock)} en la bodega; hoy vuelven ${k(a.asignada)}.`}
        inputProps=${{inputmode:"decimal",autocomplete:"off",autofocus:!Q(a),onKeyDown:qe}} fault=${h.problem?.of("cantidad")} />
      <${E} label=${o`Proveedor`} value=${p} onInput=${f("supplier")} options=${kt} empty=${o`El de la entrada más antigua`} fault=${h.problem?.of("cardCode")} />
      <${E} label=${o`Motivo`} value=${u} onInput=${f("reason")} empty=${o`El de la devolución`} fault=${h.problem?.of("motivo")}
        options=${(i?.motivos??[]).map(({codigo:L,nombre:He})=>({value:L,label:`${L} \xB7 ${He}`}))} />
    </div>
    <${Y} label=${o`Dejar fuera de la devolución`} checked=${m} onInput=${f("isOut")} />
    ${a.gestion!=="ninguna"&&r`<${it} picks=${b} line=${a} isRaised=${x>a.cantidad} faultOf=${L=>h.problem?.of(L)} />`}
    <${V} sending=${h} />
  <//>`}function Gt(e,t){let i=new Map(e.documentos.map(n=>[n.cardCode,n.proveedor]));return t.cardCode&&!i.has(t.cardCode)&&i.set(t.cardCode,t.cardCode),[...i].map(([n,l])=>({value:n,label:`${n} \xB7 ${l}`}))}function ct({planning:e,documents:t,onClose:i}){let[n,l]=g({cedible:!1,parcial:!1}),[s,a]=g({file:null,problem:null,isBusy:!0});M(()=>{let u=!0;return a({file:null,problem:null,isBusy:!0}),go(e.id,n).then(p=>u&&a({file:p,problem:null,isBusy:!1}),p=>u&&a({file:null,problem:R(p),isBusy:!1})),()=>{u=!1}},[n]);let{file:c,problem:d,isBusy:f}=s,$=c?.headers.get("X-Documentos-Omitidos"),m=u=>t.find(p=>p.docId===u)?.proveedor??o`Documento ${u}`;return r`<${N} large title=${o`Documentos tributarios de la planificación ${e.numero}`} onClose=${i}>
    <${Y} label=${o`Copia cedible`} checked=${n.cedible} onInput=${u=>l({...n,cedible:u})} />
    ${f&&r`<p role="status" class="busy"> ${o`Reuniendo ${y(t.length,o`documento`,o`documentos`)}…`}</p>`}
    <${T} problem=${d} onRetry=${()=>l({...n})}>
      ${d?.body.documentos?.length>0&&r`<ul>
        ${d.body.documentos.map(u=>r`<li>${typeof u=="number"?m(u):`${m(u.docId)}: ${u.message}`}</li>`)}
      </ul>`}
      ${d?.code==="folio_missing"&&r`<div class="actions"><button type="button" class="small" onClick=${()=>l({...n,parcial:!0})}>${o`Ver los que ya tienen folio`}</button></div>`}
    <//>
    ${$&&r`<${S} kind="warn">${o`Sin folio todavía, y por eso fuera: ${$.split(", ").map(u=>m(Number(u))).join("; ")}.`}<//>`}
    ${c&&r`<${xo} file=${c} title=${o`Documentos tributarios`} />`}
  <//>`}function dt({planning:e,onClose:t,onDone:i,onRefresh:n}){let l=a=>J(Ee(a).asignada).join(" \xB7 "),s=W(a=>i(a,o`Planificada de nuevo: vuelven ${l(a)}, antes ${l(e)}.`),n);return r`<${N} title=${o`Planificar de nuevo`} onClose=${t} onSubmit=${()=>s.submit(()=>$o(e.id,e.version))}
      foot=${I(t,o`Planificar de nuevo`,s)}>
    <p>${o`Se reparte otra vez con el stock y las entradas de hoy. Lo que ya está en una devolución no se toca, y los lotes elegidos quedan hasta donde alcancen.`}</p>
    <${V} sending=${s} />
  <//>`}function ut({planning:e,onClose:t,onRun:i}){let[n,l]=g(!1),s=e.documentos.filter(a=>a.estado!=="creado"&&!_(a));return r`<${N} title=${o`Reprocesar lo que falta`} onClose=${t} onSubmit=${()=>i({replanificar:n})} foot=${I(t,o`Reprocesar`)}>
    <p>${o`Primero se busca en el ERP qué quedó hecho; lo creado no se toca. ${y(s.length,o`documento queda`,o`documentos quedan`)} por resolver.`}</p>
    <${Y} label=${o`Planificar de nuevo todo lo que falló, con el stock de hoy`} checked=${n} onInput=${l} />
    <p class="small muted">${o`Sin marcar, lo que falló por algo pasajero (período, serie, tipo de cambio) se intenta otra vez como está; lo demás se planifica de nuevo igualmente.`}</p>
  <//>`}function mt({open:e,planning:t,catalogues:i,onClose:n,onDone:l,onRefresh:s,onRun:a}){let c={planning:t,catalogues:i,onClose:n,onDone:l,onRefresh:s},d=()=>t.documentos.filter(({estado:$})=>$==="creado"),f=()=>{n(),s()};switch(e.kind){case"execute":return r`<${nt} planning=${t} sheet=${X(t)} onClose=${n} onRun=${$=>a("devoluciones",$)} />`;case"reprocess":return r`<${ut} planning=${t} onClose=${n} onRun=${$=>a("reprocesar",$)} />`;case"close":return r`<${tt} planning=${t} onClose=${n} onDone=${$=>l($,o`Planificación cerrada.`)} />`;case"line":return r`<${lt} key=${e.lineId} lineId=${e.lineId} ...${c} />`;case"add":return r`<${ot} ...${c} />`;case"replan":return r`<${dt} planning=${t} onClose=${n} onDone=${l} onRefresh=${s} />`;case"header":return r`<${at} ...${c} />`;case"pdf":return r`<${ct} planning=${t} documents=${d()} onClose=${f} />`;default:return null}}function pt({planning:e,states:t,extra:i,onPrint:n}){let l=C(()=>({...e,documentos:e.documentos.map(c=>({...c,...t?.[c.docId]}))}),[e,t]),s=l.documentos.filter(c=>!_(c)).length,a=C(()=>X(e).some(c=>!_(c)&&c.parts.length>0),[e]);return r`<section class="panel flush">
    <header><h2>${y(s,o`documento por proveedor`,o`documentos por proveedor`)}</h2>
      ${a&&r`<button type="button" class="small" onClick=${n}>${o`Imprimir lista de retiro`}</button>`}
    </header>
    <${Le} planning=${l} extra=${i} />
  </section>`}var _e=(e,t,i)=>i===null?null:e?.find(n=>n[t]===i)?.nombre??i,zt=(e,t)=>[[o`Fecha de contabilización`,A(t.fecha)],[o`Fecha del documento`,A(t.fechaDocumento)],[o`Serie`,_e(e?.series,"serie",t.serie)??o`La del ERP`],[o`Motivo`,_e(e?.motivos,"codigo",t.motivo)??o`Sin motivo`],[o`Tipo de traslado`,_e(e?.indTraslado,"codigo",t.indTraslado)??t.indTraslado],[o`Tipo de despacho`,_e(e?.tipoDespacho,"codigo",t.tipoDespacho)??o`Sin indicar`],...Qo(e,t).map(([i,n])=>[i,n??o`Sin indicar`]),[o`Comentario`,t.comentario??o`Sin comentario`]];function $t({header:e,catalogues:t,onChange:i}){return r`<section class="panel">
    <header><h2>${o`Datos de la devolución`}</h2>
      ${i&&r`<button type="button" class="small" disabled=${!t} onClick=${i}>${o`Cambiar datos`}</button>`}
    </header>
    <dl class="pairs columns">${zt(t,e).map(([n,l])=>r`<div><dt>${n}</dt><dd>${l}</dd></div>`)}</dl>
  </section>`}function ft({planning:e,may:t,extra:i,onOpen:n,onProblem:l}){let[s,a]=g(!1),c=async()=>{a(!0),l(null);try{Do(await ho(e.id))}catch(d){l(R(d))}a(!1)};return r`<section class="panel flush">
    <header><h2>${y(e.lineas.length,o`línea`,o`líneas`)}</h2>
      <div class="actions">
        ${t("lineas")&&r`<button type="button" class="small" onClick=${()=>n("add")}>${o`Añadir artículos`}</button>`}
        ${t("replanificar")&&r`<button type="button" class="small" onClick=${()=>n("replan")}>${o`Planificar de nuevo`}</button>`}
        ${e.lineas.some(Mo)&&r`<button type="button" class="small" disabled=${s} onClick=${c}>${o`Descargar faltantes`}</button>`}
      </div>
    </header>
    <${Fe} caption=${o`Líneas de la planificación`} planning=${e} rowKey=${d=>d.lineId} extra=${i} />
  </section>`}function bt({lines:e,onOpen:t}){return r`<${S} kind="warn">
    <p>${o`${y(e.length,o`artículo espera`,o`artículos esperan`)} que elija sus lotes o series antes de ejecutar.`}</p>
    <div class="actions">${e.slice(0,oe).map(i=>r`<button type="button" class="small" key=${i.lineId} onClick=${()=>t("line",i.lineId)}>${o`Elegir los de ${i.itemCode}`}</button>`)}
      ${e.length>oe&&r`<span>y ${y(e.length-oe,o`más, en su línea`,o`más, en sus líneas`)}</span>`}</div>
  <//>`}function ht({titles:e,onOpen:t}){return r`<${S} kind="warn">
    <p>${o`Antes de ejecutar hay que completar: ${e.join(", ")}.`}</p>
    <div class="actions"><button type="button" class="small" onClick=${()=>t("header")}>${o`Completar datos`}</button></div>
  <//>`}var Qt=3e3,Wt={hechos:0,total:0,states:{}},Vt=(e,t)=>({...e,...t,states:t.documento?{...e.states,[t.documento.docId]:t.documento}:e.states});function gt(e){let t=e.data,[i,n]=g(null),[l,s]=g(null),[a,c]=g(null),[d,f]=g(null),$=t?.estado==="en_proceso"&&t.acciones.length===0&&i===null;M(()=>{if(!$)return;let b=setInterval(e.load,Qt);return()=>{clearInterval(b),f(null)}},[$]);let m=l!==null&&i===null&&!$&&!(d&&t.version===l.version);he(()=>{m&&(c(qo(l.documentos,t.documentos)),s(null))},[m]);let u=b=>{f(null),s(b),c(null)};return{run:i,outcome:a,problem:d,setProblem:f,isRunningElsewhere:$,start:async(b,h)=>{u(t),n(Wt);try{e.put(await vo(t.id,b,h,x=>n(v=>Vt(v,x))))}catch(x){let v=R(x);f(v),ze.includes(v.code)||s(null),ue(v)||await e.load()}n(null)},forget:()=>u(null)}}var vt=[["#/devoluciones",o`Planificaciones`]];function Ql({params:e}){let t=q(()=>io(e.id),[e.id]);return t.data?r`<${Jt} key=${e.id} loaded=${t} />`:r`<${K} title=${o`Planificación ${e.id}`} crumbs=${vt} />
    ${t.problem?r`<${T} problem=${t.problem} onRetry=${t.load} />`:r`<${ve} />`}`}function Jt({loaded:e}){let t=e.data,i=q(le,[]),[n,l]=g(null),s=gt(e),a=v=>s.run===null&&t.acciones.includes(v),c=(v,D=void 0)=>l({kind:v,lineId:D}),d=zo(t,a("editar"),v=>c("line",v)),{isPrinting:f,print:$}=Jo(),m=(v,D)=>{e.put(v),l(null),s.forget(),D&&se(D)},u=(v,D)=>(l(null),s.start(v,D)),p=jo(t.documentos)?[]:Wo(i.data,t.cabecera),b=a("editar")&&pe(t.documentos).size===0,h=r`<${pt} key="documents" planning=${t} states=${s.run?.states} extra=${d.ofItems} onPrint=${$} />`,x=r`<${ft} key="lines" planning=${t} may=${a} extra=${d.ofLines} onOpen=${c} onProblem=${s.setProblem} />`;return r`<${Yt} planning=${t} may=${a} isWhole=${p.length===0} onOpen=${c} />
    <${Xt} running=${s} loaded=${e} />
    ${a("editar")&&r`<${Zt} planning=${t} lacking=${p} onOpen=${c} />`}
    <${Re} planning=${t} />
    ${t.estado==="planificada"?[x,h]:[h,x]}
    <${$t} header=${t.cabecera} catalogues=${i.data} onChange=${b&&(()=>c("header"))} />
    ${n&&r`<${mt} open=${n} planning=${t} catalogues=${i.data} onClose=${()=>l(null)} onDone=${m} onRefresh=${e.load} onRun=${u} />`}
    ${f&&r`<${Yo} planning=${t} />`}`}function Yt({planning:e,may:t,isWhole:i,onOpen:n}){let{cabecera:l,documentos:s}=e,a=t("devoluciones")&&i&&X(e).some(({estado:d,lacks:f})=>d==="pendiente"&&!f),c=s.some(({estado:d})=>d==="creado");return r`<${K} title=${o`Planificación ${e.numero}`} crumbs=${vt} openedAt=${j}
      about=${r`<${Te} state=${e.estado} /> ${o`Bodega ${l.whsCode}, hecha por ${e.usuario} el ${ge(e.creada)}`}`}>
    ${a&&r`<button type="button" class="main" onClick=${()=>n("execute")}>${o`Ejecutar`}</button>`}
    ${t("reprocesar")&&r`<button type="button" class=${a?"":"main"} onClick=${()=>n("reprocess")}>${o`Reprocesar`}</button>`}
    ${c&&r`<button type="button" class=${e.acciones.includes("reprocesar")?"":"main"} onClick=${()=>n("pdf")}>${o`Ver documentos tributarios`}</button>`}
    ${t("cerrar")&&r`<button type="button" onClick=${()=>n("close")}>${o`Cerrar planificación`}</button>`}
  <//>`}function Xt({running:{run:e,outcome:t,problem:i,setProblem:n,isRunningElsewhere:l},loaded:s}){let a=async()=>{await s.load()||n(null)};return r`${e&&r`<section class="panel"><${Po} done=${e.hechos} total=${e.total}>
      ${e.total?`${e.hechos} de ${y(e.total,o`documento`,o`documentos`)}`:o`Preparando los documentos…`}
    <//></section>`}
    ${l&&r`<${S} live>${o`Se está ejecutando. Esta página se pone al día sola.`}<//>`}
    ${t&&r`<${Vo} outcome=${t} problem=${i} />`}
    ${!t&&r`<${T} problem=${i}>
      ${ue(i)&&r`<div class="actions"><button type="button" onClick=${a}>${o`Traer lo nuevo`}</button></div>`}
    <//>`}
    <${T} problem=${s.problem} onRetry=${s.load} />`}function Zt({planning:e,lacking:t,onOpen:i}){let n=pe(e.documentos),l=e.lineas.filter(s=>Q(s)&&!$e(s,n));return r`${l.length>0&&r`<${bt} lines=${l} onOpen=${i} />`}
    ${t.length>0&&r`<${ht} titles=${t} onOpen=${i} />`}`}var en={ok:[o`En orden`,"ok"],falta:[o`Falta`,"bad"],distinto:[o`Distinto`,"warn"],pendiente_reinicio:[o`Espera un reinicio`,"warn"]},yt={title:o`Preparación del ERP`,crumbs:[["#/devoluciones",o`Planificaciones`]]};function cc(){return Je(oo).user?.superusuario!==!1?r`<${on} />`:r`<${K} ...${yt} />
    <${S} title=${o`Solo un superusuario del ERP puede preparar esto.`}>
      <p>${o`Si a las planificaciones les falta algo en el ERP, pida a un superusuario que entre aquí con su cuenta.`}</p>
    <//>`}function on(){let e=q(ao,[]),[t,i]=g(null),[n,l]=g(null),[s,a]=g(!1),c=async()=>{a(!0),l(null);try{i(await so(!1)),se(o`Preparación terminada.`),e.load()}catch(d){l(R(d))}a(!1)};return r`<${K} ...${yt}
      about=${o`Tablas, campos, el objeto y las consultas que las planificaciones necesitan en el ERP.`}>
      <button type="button" class=${e.data?.completo===!1?"main":""} disabled=${s} onClick=${c}>${s&&r`<span class="busy"></span>`}${o`Crear lo que falta`}</button>
    <//>
    ${s&&r`<${S}>${o`Puede tardar varios minutos. Nada se borra ni se acorta.`}<//>`}
    <${T} problem=${n} />
    ${t&&r`<${S} kind=${t.errores.length?"bad":"ok"} live>
      ${y(t.creados.length,o`definición creada`,o`definiciones creadas`)}, ${y(t.actualizados.length,o`cambiada`,o`cambiadas`)}, ${y(t.sinCambios,o`ya estaba`,o`ya estaban`)}.
      ${t.pendienteReinicio.length>0&&r`<p>${t.mensaje}</p>`}
      ${t.errores.length>0&&r`<ul>${t.errores.map(d=>r`<li>${d.nombre}: ${d.mensaje}</li>`)}</ul>`}
    <//>`}
    <${ie} from=${e}>${d=>r`<${tn} found=${d} />`}<//>`}function tn({found:e}){let t=[...e.tablas.map(n=>({kind:o`Tabla`,name:n.nombre,...n})),{kind:o`Objeto`,name:e.objeto.codigo,...e.objeto},...e.consultas.map(n=>({kind:o`Consulta`,name:n.nombre,detalle:o`versión ${n.versionInstalada??o`ninguna`} de ${n.version}`,...n})),...e.campos.map(n=>({kind:o`Campo`,name:`${n.tabla}.${n.nombre}`,...n}))],i=[{key:"kind",title:o`Qué`,cell:n=>n.kind},{key:"name",title:o`Nombre`,head:!0,cell:n=>r`<span class="mono">${n.name}</span>`},{key:"estado",title:o`Estado`,cell:n=>r`<${no} of=${n.estado} words=${en} />`},{key:"detalle",title:o`Detalle`,cell:n=>n.detalle}];return r`<${S} kind=${e.completo?"ok":"warn"}>${e.completo?o`El ERP está preparado.`:o`Al ERP le falta algo de lo que sigue.`}<//>
    <section class="panel flush"><${w} caption=${o`Definiciones`} columns=${i} rows=${t} rowKey=${n=>`${n.kind} ${n.name}`} /></section>`}export{Ha as NewPlanningPage,ns as PlanningListPage,Ql as PlanningPage,cc as PreparationPage};
