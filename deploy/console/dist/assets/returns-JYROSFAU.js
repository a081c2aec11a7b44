import{A as P,Ab as fo,B as no,Bb as bo,C as ee,Cb as ho,D as ke,Db as go,E as Y,Eb as vo,F as D,Fb as yo,G as ao,Gb as ko,H as R,Hb as Co,Ib as So,J as so,Jb as xo,K as j,Kb as xe,Lb as de,Mb as pe,Nb as Po,Ob as Pe,P as oe,Pb as te,Q as ro,Qb as ue,R as se,Rb as G,S as re,T,Ub as W,V as F,Vb as N,W as w,Wb as Oo,X as ie,Xb as E,Y as X,Yb as Do,Z as Ce,Zb as wo,_b as No,a as v,ac as Eo,b as A,c as ve,d as U,e as S,ea as K,f as eo,fb as q,g as i,gb as le,h as oo,i as o,j as H,p as C,pb as Se,q as M,qb as io,r as ye,tb as ce,ub as lo,vb as co,w as ae,wb as uo,x as J,xb as mo,y as to,yb as po,z as k,zb as $o}from"./core-XLWGGHNR.js";var To=["codigo","cantidad"];function Ft(e){let t={};for(let s of To){let a=e.filter(({posibles:l})=>l[0]===s);a.length===1&&(t[s]=a[0].indice)}return t}function Io({reason:e,filas:t,columnas:s,isBusy:a,onAnswer:l}){let[n,r]=v(()=>Ft(s)),c=U(null);A(()=>c.current?.querySelector("select")?.focus(),[]);let d=u=>Object.keys(n).find(p=>n[p]===u)??"",$=u=>p=>{let b=p.target.value,h=Object.entries(n).filter(([g,y])=>y!==u&&g!==b);r({...Object.fromEntries(h),...b&&{[b]:u}})},f=To.filter(u=>n[u]===void 0),m=()=>{f.length||l(Object.fromEntries(Object.keys(Pe).map(u=>[u,n[u]??null])))};return i`<${Y} box=${c} class="panel flush column-choice" label=${o`Columnas de la planilla`} onSubmit=${m}>
    <header><h2>${o`¿Qué tiene cada columna?`}</h2><span class="muted" role="alert">${e}</span></header>
    <div class="table-box" tabindex="0" role="group" aria-label=${o`Primeras filas de la planilla`}>
      <table aria-label=${o`Primeras filas de la planilla`}>
        <thead>
          <tr>${s.map(({indice:u,posibles:p})=>i`<th key=${u} scope="col">
            <select aria-label=${o`Columna ${u+1}`} value=${d(u)} onChange=${$(u)}>
              <option value="" selected=${!d(u)}>${o`No se lee`}</option>
              ${p.map(b=>i`<option value=${b} selected=${d(u)===b}>${Pe[b]}</option>`)}
            </select>
          </th>`)}</tr>
        </thead>
        <tbody>
          ${t.map((u,p)=>i`<tr key=${p}>${s.map(({indice:b})=>i`<td key=${b}>${u[b]??""}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
    <div class="actions">
      <button type="submit" class="main" disabled=${a||f.length>0}>${a&&i`<span class="busy"></span>`}${o`Usar estas columnas`}</button>
      <span class="muted" role="status">${f.length>0&&o`Falta indicar: ${f.map(u=>Pe[u]).join(", ")}.`}</span>
    </div>
  <//>`}var Oe=e=>e.map(({codigo:t,nombre:s})=>({value:t,label:`${t} \xB7 ${s}`}));function De({catalogues:e,value:t,onInput:s,fault:a}){let l=e.almacenes.filter(n=>!n.inactivo||n.whsCode===t).map(({whsCode:n,nombre:r,ubicaciones:c})=>({value:n,label:`${n} \xB7 ${r}${c?o` (con ubicaciones)`:""}`}));return i`<${w} label=${o`Bodega`} value=${t} onInput=${s} options=${l} empty=${o`Elija una bodega`} needed fault=${a} />`}function we({catalogues:e,header:t,onChange:s,faultOf:a=()=>null}){let l=e.series.filter(r=>!r.bloqueada||r.serie===t.serie).map(({serie:r,nombre:c,siguiente:d})=>({value:String(r),label:`${c}${d?o`, sigue el ${d}`:""}`})),n=r=>c=>s(r,c===""?null:c);return i`<div class="fields">
    <${F} label=${o`Fecha de contabilización`} type="date" value=${t.fecha} onInput=${n("fecha")} fault=${a("fecha")} />
    <${F} label=${o`Fecha del documento`} type="date" value=${t.fechaDocumento} onInput=${n("fechaDocumento")} fault=${a("fechaDocumento")} />
    <${w} label=${o`Serie`} value=${t.serie===null?"":String(t.serie??"")} options=${l} empty=${o`La del ERP`}
      onInput=${r=>s("serie",r?Number(r):null)} fault=${a("serie")} />
    <${w} label=${o`Motivo`} value=${t.motivo} options=${Oe(e.motivos)} empty=${o`Sin motivo`} onInput=${n("motivo")} fault=${a("motivo")} />
    <${w} label=${o`Tipo de traslado`} value=${t.indTraslado} options=${Oe(e.indTraslado)} onInput=${n("indTraslado")} fault=${a("indTraslado")} />
    <${w} label=${o`Tipo de despacho`} value=${t.tipoDespacho} options=${Oe(e.tipoDespacho)} empty=${o`Sin indicar`} onInput=${n("tipoDespacho")} fault=${a("tipoDespacho")} />
    ${e.camposDevolucion.map(r=>i`<${Mt} key=${r.nombre} asked=${r} answers=${t.camposDevolucion??{}}
      onAnswers=${n("camposDevolucion")} fault=${a(`camposDevolucion.${r.nombre}`)} />`)}
    <${ie} label=${o`Comentario`} wide value=${t.comentario} onInput=${n("comentario")} inputProps=${{rows:2,style:{minHeight:"4rem"}}} fault=${a("comentario")} />
  </div>`}var At={texto:{type:"text"},numero:{type:"number",inputProps:{step:"any"}},fecha:{type:"date"}};function Mt({asked:e,answers:t,onAnswers:s,fault:a}){let{nombre:l,etiqueta:n,tipo:r,obligatorio:c,valores:d}=e,$=m=>s(Object.fromEntries(Object.entries({...t,[l]:m}).filter(([,u])=>u!==""))),f={label:n,needed:c,value:t[l]??"",onInput:$,fault:a};return d.length>0?i`<${w} ...${f} options=${Oe(d)} empty=${o`Sin indicar`} />`:i`<${F} ...${f} ...${At[r]} />`}var Lo={whsCode:"",texto:"",formatoNumero:"auto",columnas:null},Ro={indTraslado:"7"},Fo=(e,t,s)=>({...e,...t==="texto"&&{columnas:null},[t]:s});function jt(e){let[t,s]=v(null),[a,l]=v(!1),n=U(0),r=U(!1);return{preview:t,isLooking:a,look:async d=>{if(!d.whsCode||!d.texto.trim())return;let $=++n.current;l(!0),e(null),r.current=!1;try{let f=await po(d);$===n.current&&s({of:d,found:f})}catch(f){$===n.current&&e(R(f)),r.current=!0}$===n.current&&l(!1)},hasFailed:r}}function qt(e,t,s){let a=e.lineas.map(({itemCode:n,cantidad:r,motivo:c,filas:d})=>({itemCode:n,cantidad:r,motivo:c??void 0,filas:d}));return{cabecera:{...Object.fromEntries(Object.entries(t).filter(([,n])=>n!==null)),whsCode:s},lineas:a,huella:e.huella}}function Ao(){let[e,t]=v(Lo),[s,a]=v(Ro),[l,n]=v(null),[r,c]=v(!1),{preview:d,isLooking:$,look:f,hasFailed:m}=jt(n),u=U(!0);A(()=>()=>{u.current=!1},[]);let p=l?.code==="open_planning_exists"?l:null,b=e.texto.trim()!==""||s!==Ro,h=H({service:j,name:"new-planning",typed:{paste:e,header:s},isTouched:b,isHeld:b&&!r&&!p,restore:y=>{t(y.paste),a(y.header),f(y.paste)},refusal:p?null:l});return{form:h,paste:e,header:s,preview:d,problem:l,existing:p,isLooking:$,isSaving:r,save:async y=>{c(!0),n(null),m.current=!1;try{let x=await $o({...qt(d.found,s,e.whsCode),permitirOtra:y||void 0});h.saved(),u.current&&se(oe(["devoluciones",x.id])),re(o`Planificación ${x.numero} guardada.`)}catch(x){n(R(x)),c(!1)}},question:l?.code==="columns_unknown"?l:null,isFresh:d!==null&&Object.keys(Lo).every(y=>d.of[y]===e[y]),mayRetry:m.current&&l?.status===0,look:()=>f(e),change:y=>x=>t(_=>Fo(_,y,x)),changeAndLook:y=>x=>{let _=Fo(e,y,x);t(_),f(_)},correct:y=>{let x={...e,texto:y};t(x),f(x)},changeHeader:(y,x)=>a(_=>({..._,[y]:x})),forgetProblem:()=>n(null)}}var Mo=/"[^"\t]*(?:""[^"\t]*)*"(?=[\t\n]|$)/y,Bt=/[\t\n\r"]+/g,_t=e=>e.replace(/^\ufeff/,"").replace(/\r\n?/g,`
`);function jo(e,t){Mo.lastIndex=t;let[s]=Mo.exec(e)??[];if(s===void 0)return null;let a=s.slice(1,-1);return a.includes(`
`)||a.includes('""')?t+s.length:null}function qo(e){let t=_t(e),s=[[]],a=/[\t\n]|$/g;for(let l=0;;){a.lastIndex=l;let n=jo(t,l)??a.exec(t).index;if(s[s.length-1].push({from:l,to:n}),n>=t.length)return{text:t,rows:s};t[n]===`
`&&s.push([]),l=n+1}}function We({text:e,rows:t},s,a){let l=t[s-1]?.[a],n=l?e.slice(l.from,l.to):"";return n&&jo(n,0)===n.length?n.slice(1,-1).replaceAll('""','"'):n}function Bo({text:e,rows:t},s){return s.filter(({row:l})=>t[l-1]).map(({row:l,column:n,value:r})=>{let c=t[l-1],d=r.replace(Bt," ").trim(),$=c[c.length-1].to;return c[n]?{...c[n],put:d}:{from:$,to:$,put:`${"	".repeat(n-c.length+1)}${d}`}}).sort((l,n)=>n.from-l.from).reduce((l,{from:n,to:r,put:c})=>l.slice(0,n)+c+l.slice(r),e)}var $e=({fila:e,columna:t,code:s})=>`${e} ${t} ${s}`;function _o({notes:e,columns:t,text:s,isBusy:a,onCorrect:l}){let[n,r]=v({}),c=S(()=>qo(s),[s]),d=k(e.length,o`celda no se pudo leer y su fila quedó fuera`,o`celdas no se pudieron leer y sus filas quedaron fuera`),$=({columna:g})=>t[g],f=e.filter(g=>n[$e(g)]!==void 0),m=()=>f.length>0&&l(Bo(c,f.map(g=>({row:g.fila,column:$(g),value:n[$e(g)]})))),u=({fila:g})=>We(c,g,t.codigo),p=g=>n[$e(g)]??We(c,g.fila,$(g)),b=g=>i`<input ref=${y=>ke(y)} value=${p(g)} onInput=${y=>r(x=>({...x,[$e(g)]:y.target.value}))}
    aria-label=${o`${te[g.columna]??g.columna} de la fila ${g.fila}, artículo ${u(g)}`} />`,h=[{key:"fila",title:o`Fila`,number:!0,cell:g=>g.fila},{key:"item",title:o`Artículo`,cell:g=>i`<span class="mono">${u(g)}</span>`},{key:"columna",title:o`Columna`,cell:g=>te[g.columna]??g.columna},{key:"valor",title:o`Valor`,cell:g=>$(g)===void 0?i`<code>${g.valor}</code>`:b(g)},{key:"message",title:o`Qué pasa`,cell:g=>g.message}];return i`<${Y} submitsOnEnter class="panel flush" label=${d} onSubmit=${m}>
    <header><h2>${d}</h2></header>
    <${E} caption=${d} columns=${h} rows=${e} rowKey=${$e} />
    <div class="actions padded"><button type="submit" disabled=${a||!f.length}>${o`Corregir y ver de nuevo`}</button></div>
  <//>`}var Ne=[{key:"recepcion",title:o`Recepción`,value:({part:e})=>e.baseNum,cell:({part:e})=>i`N.º ${e.baseNum}<span class="note">${M(e.baseFecha)}${e.baseReferencia&&` \xB7 ${e.baseReferencia}`}</span>`},{key:"cantidad",title:o`Cantidad`,number:!0,value:({part:e})=>e.cantidad,cell:({line:e,part:t})=>i`${C(t.cantidad)} ${e.unidad}${t.factor!==1&&i`<span class="note">${o`${C(t.cantidadDocumento)} de ${C(t.factor)} ${e.unidad}`}</span>`}`},{key:"precio",title:o`Precio`,number:!0,value:({part:e})=>e.precio,cell:({part:e})=>ae(e.precio,e.moneda,{isPrice:!0})},{key:"lote",title:o`Lote o serie`,value:({part:e})=>e.lote??e.serie,cell:({line:e,part:t})=>t.lote??t.serie??(e.gestion==="ninguna"?null:i`<${Se} kind="warn">${o`Por elegir`}<//>`)}],Uo={key:"proveedor",title:o`Proveedor`,head:!0,value:e=>e.supplier,cell:e=>e.supplier},Ee=e=>e.map((t,s)=>({...t,at:s}));var Ut=Object.keys(de);function Ho(...e){let t=e.map(s=>W(s).value);return t.includes(void 0)?void 0:G(t.reduce((s,a)=>s+N(a),0)/1e6)}var O=e=>e.lote??e.serie,Ko=(e,t)=>e.find(s=>O(s)===t)??e.find(s=>O(s).toUpperCase()===t.toUpperCase()),B=e=>pe(e).isGone===!0,z=e=>e.gestion!=="ninguna"&&e.asignaciones.some(({lote:t,serie:s})=>t===null&&s===null),Go=e=>!e.excluida&&e.sinStock+e.sinEntrada+e.noDivisible>0;function Wo(e){let t=new Map;for(let s of e)for(let a of s.asignaciones)t.has(a.docId)||t.set(a.docId,[]),t.get(a.docId).push({line:s,part:a});return t}function Z({documentos:e,lineas:t}){let s=Wo(t),a=(c,d)=>d.docId>c.docId&&!B(d),l=(c,d)=>["cardCode","moneda","sucursal"].every($=>c[$]===d[$]),n=e.map(c=>{let d=s.get(c.docId)??[],$=c.estado==="omitido"&&d.length===0;return{...c,parts:d,lacks:c.estado==="pendiente"&&d.some(({line:f})=>z(f)),replacedBy:$?e.filter(f=>a(c,f)&&l(c,f)):[]}}),r=({estado:c,lacks:d})=>Ut.indexOf(c)-(d?.5:0);return n.sort((c,d)=>r(c)-r(d)||c.docId-d.docId)}var fe=e=>new Set(e.filter(({bloqueaLineas:t})=>t).map(({docId:t})=>t)),zo=e=>e.some(t=>!pe(t).isPlanned),be=(e,t)=>e.asignaciones.some(({docId:s})=>t.has(s));function ze({lineas:e,documentos:t}){let s=new Set(t.filter(B).map(({docId:l})=>l)),a=l=>l.asignaciones.filter(({docId:n})=>s.has(n)).reduce((n,{cantidad:r})=>n+N(r),0);return e.map(l=>({...l,asignada:(N(l.asignada)-a(l))/1e6}))}function Te({lineas:e,documentos:t}){let s=ze({lineas:e,documentos:t}).filter(({excluida:r})=>!r),a=t.filter(r=>!B(r)),l=(r,c,d)=>Oo(r,$=>$[c]??"",$=>$[d]).filter(([,$])=>$!==0),n=r=>l(s,"unidad",r);return{pedida:n("cantidad"),asignada:n("asignada"),sinStock:n("sinStock"),sinEntrada:n("sinEntrada"),noDivisible:n("noDivisible"),documentos:a.length,total:l(a,"moneda","total")}}function Qo(e,t){let s=new Set(e.filter(({estado:d})=>d==="creado").map(({docId:d})=>d)),a=t.filter(({docId:d,estado:$})=>$==="creado"&&!s.has(d)).length,l=(...d)=>t.filter(({estado:$})=>d.includes($)).length,n=l("error"),r=t.filter(d=>pe(d).isUnclear).length;return{text:`${[a?k(a,o`devolución creada`,o`devoluciones creadas`):s.size?o`Ninguna devolución más`:o`Ninguna devolución creada`,n&&k(n,o`falló`,o`fallaron`),r&&o`${r} por aclarar`,l("en_aprobacion")&&o`${l("en_aprobacion")} en aprobación`,l("pendiente")&&k(l("pendiente"),o`pendiente`,o`pendientes`)].filter(Boolean).join(", ")}.`,kind:n?"bad":r||!a?"warn":"ok",open:t.filter(d=>pe(d).isOpen)}}function Vo({documentos:e,lineas:t}){let s=Wo(t),a=new Map;for(let n of e.filter(r=>!B(r))){a.has(n.cardCode)||a.set(n.cardCode,{...n,numbers:[],rows:new Map});let{rows:r,numbers:c}=a.get(n.cardCode);n.docNum!==null&&c.push(n.docNum);for(let{line:d,part:$}of s.get(n.docId)??[]){let f=$.lote??$.serie??(d.gestion==="ninguna"?"":o`por elegir`),m=JSON.stringify([d.itemCode,f]),u=r.get(m)??{key:m,itemCode:d.itemCode,descripcion:d.descripcion,unidad:d.unidad,lot:f,cantidad:0};r.set(m,{...u,cantidad:(N(u.cantidad)+N($.cantidad))/1e6})}}let l=(n,r)=>n.itemCode.localeCompare(r.itemCode,"es",{numeric:!0})||n.lot.localeCompare(r.lot,"es",{numeric:!0});return[...a.values()].map(n=>({...n,rows:[...n.rows.values()].sort(l)})).filter(({rows:n})=>n.length>0)}var Qe=["bad","warn","now","ok",""];function he({state:[e,t]}){return i`<${Se} kind=${t}>${e}<//>`}var Ie=({state:e})=>i`<${he} state=${ue(xo,e)} />`,Le=({estado:e,lacks:t})=>t?[o`Faltan lotes o series`,"warn"]:ue(de,e);function Re(e){return e.estado==="devuelta"&&e.asignada<e.cantidad?[o`Devuelta en parte`,"warn"]:e.estado==="requiere_lotes"&&e.gestion==="series"?[o`Elegir series`,"warn"]:ue(Po,e.estado)}function Fe(e,t,s,a){let[l,n]=v(null),r=S(()=>{let m=new Map;for(let[u,p]of e.map(t))m.set(u,{kind:p,count:(m.get(u)?.count??0)+1});return[...m].sort(([,u],[,p])=>Qe.indexOf(u.kind)-Qe.indexOf(p.kind))},[e]),c=r.some(([m])=>m===l)?l:null,d=S(()=>c?e.filter(m=>t(m)[0]===c):e,[e,c]),$=[[null,a,e.length],...r.map(([m,{count:u}])=>[m,m,u])],f=r.length>1&&i`<div class="states" role="group" aria-label=${s}>
    ${$.map(([m,u,p])=>i`<button type="button" class="small" key=${u} aria-pressed=${String(m===c)} onClick=${()=>n(m)}>${u} <b>${C(p)}</b></button>`)}
  </div>`;return[d,f]}var Ht=[],Kt=e=>e.docNum===null?o`el documento ${e.docId}`:o`la devolución N.º ${e.docNum}`,Gt=[{key:"proveedor",title:o`Proveedor`,head:!0,value:e=>e.proveedor,cell:e=>i`${e.proveedor||e.cardCode}<span class="note">${o`Documento ${e.docId} · ${e.cardCode}${e.rut&&` \xB7 ${e.rut}`}${e.parte>1&&` \xB7 parte ${e.parte}`}`}</span>`},{key:"estado",title:o`Estado`,value:e=>Le(e)[0],cell:e=>i`<${he} state=${Le(e)} />
      ${e.replacedBy.length>0&&i`<span class="note">${o`Lo ${e.replacedBy.length===1?o`reemplaza`:o`reemplazan`} ${e.replacedBy.map(Kt).join(o` y `)}.`}</span>`}
      ${e.mensaje&&i`<span class="note">${e.mensaje}</span>`}`},{key:"lineas",title:o`Líneas`,number:!0,value:e=>e.lineas,cell:e=>C(e.lineas)},{key:"total",title:o`Total`,number:!0,isMoney:!0,value:e=>e.total,adds:e=>B(e)?null:e.moneda,cell:e=>ae(e.total,e.moneda)},{key:"docNum",title:o`Devolución`,number:!0,value:e=>e.docNum,cell:e=>e.docNum!==null&&`N.\xBA ${e.docNum}`},{key:"folio",title:o`Folio`,number:!0,value:e=>e.folio,cell:e=>e.folio}],Wt={key:"item",title:o`Artículo`,head:!0,value:({line:e})=>e.itemCode,cell:({line:e})=>i`<span class="nowrap mono">${e.itemCode}</span><span class="note">${e.descripcion}</span>`};function Ae({planning:e,extra:t=Ht}){let s=S(()=>Z(e),[e]),[a,l]=Fe(s,Le,o`Documentos por estado`,o`Todos`),n=S(()=>({label:r=>o`Contenido del documento ${r.docId}, ${r.proveedor}`,has:r=>r.parts.length>0,content:r=>i`<${E} caption=${o`Artículos del documento ${r.docId}`} columns=${[Wt,...Ne,...t]} rows=${Ee(r.parts)} rowKey=${({at:c})=>c} />`}),[t]);return i`${l}${S(()=>i`<${E} caption=${o`Documentos por proveedor`} layout="documentos de devolución" total=${a.length<s.length?o`Total de estos`:o`Total`} columns=${Gt} rows=${a} rowKey=${r=>r.docId} inside=${n}
    rowClass=${r=>r.estado==="omitido"?"past":""} empty=${o`Nada de esto puede volver a un proveedor: las líneas dicen por qué.`} />`,[a,n])}`}function Me({planning:e}){let t=S(()=>Te(e),[e]),s=[[o`Se pide`,J(t.pedida),""],[o`Vuelve al proveedor`,J(t.asignada),"ok"],[o`Sin stock`,J(t.sinStock),t.sinStock.length?"bad":""],[o`Sin entrada abierta`,J(t.sinEntrada),t.sinEntrada.length?"bad":""],[o`No divisible`,J(t.noDivisible),t.noDivisible.length?"warn":""],[o`Documentos`,[C(t.documentos)],""],[o`Total sin impuestos`,to(t.total),""]];return i`<dl class="figures">
    ${s.map(([a,l,n])=>i`<div><dt>${a}</dt>${l.map(r=>i`<dd class=${n}>${r}</dd>`)}</div>`)}
  </dl>`}function je({planning:e,rowKey:t,extra:s,caption:a}){let{documentos:l}=e,n=S(()=>ze(e),[e]),[r,c]=Fe(n,Re,o`Líneas por estado`,o`Todas`),d=S(()=>{let f=new Map(l.map(({docId:u,proveedor:p})=>[u,p])),m=u=>Ee(u.asignaciones.map(p=>({line:u,part:p,supplier:f.get(p.docId)||p.cardCode})));return{label:u=>o`Recepciones de ${u.itemCode}`,has:u=>u.asignaciones.length>0,content:u=>i`<${E} caption=${o`Recepciones de ${u.itemCode}`} columns=${[Uo,...Ne]} rows=${m(u)} rowKey=${({at:p})=>p} />`}},[l]),$=S(()=>[...zt.filter(({key:f,isRare:m})=>!m||n.some(u=>u[f]>0)),...s],[n,s]);return i`${c}${S(()=>i`<${E} caption=${a} layout="líneas de devolución" total=${(r.length<n.length?o`Total de estas`:o`Total`)+(r.some(({excluida:f})=>f)?o` sin las excluidas`:"")} isChoosable columns=${$} rows=${r} rowKey=${t} inside=${d}
    rowClass=${f=>f.excluida?"out":""} empty=${o`No hay líneas: añada artículos con su código y cantidad.`} />`,[r,$,d])}`}var ge=e=>e.excluida?null:e.unidad??"",zt=[{key:"item",title:o`Artículo`,head:!0,text:e=>e.itemCode,value:e=>e.itemCode,cell:e=>i`<span class="nowrap mono">${e.itemCode}</span><span class="note">${e.descripcion}</span>`},{key:"cantidad",title:o`Se pide`,number:!0,value:e=>e.cantidad,adds:ge,cell:e=>`${C(e.cantidad)} ${e.unidad??""}`},{key:"asignada",title:o`Vuelve`,number:!0,value:e=>e.asignada,adds:ge,cell:e=>C(e.asignada)},{key:"sinStock",isRare:!0,title:o`Sin stock`,number:!0,value:e=>e.sinStock,adds:ge,cell:e=>e.sinStock>0&&C(e.sinStock)},{key:"sinEntrada",isRare:!0,title:o`Sin entrada`,number:!0,value:e=>e.sinEntrada,adds:ge,cell:e=>e.sinEntrada>0&&C(e.sinEntrada)},{key:"noDivisible",isRare:!0,title:o`No divisible`,number:!0,value:e=>e.noDivisible,adds:ge,cell:e=>e.noDivisible>0&&C(e.noDivisible)},{key:"stock",title:o`En bodega`,number:!0,value:e=>e.stock,cell:e=>C(e.stock)},{key:"estado",title:o`Estado`,value:e=>Re(e)[0],cell:e=>i`<${he} state=${Re(e)} />${e.mensaje&&i`<span class="note">${e.mensaje}</span>`}`}];var Qt=[{key:"fila",title:o`Fila`,number:!0,cell:e=>e.fila},{key:"columna",title:o`Columna`,cell:e=>te[e.columna]??e.columna},{key:"valor",title:o`Valor`,cell:e=>i`<code>${e.valor}</code>`},{key:"message",title:o`Qué pasa`,cell:e=>e.message}],Vt=[{key:"filas",title:o`Filas`,cell:e=>e.filas.join(", ")}];function Jo({preview:e,text:t,isFresh:s,isBusy:a,onCorrect:l,children:n}){let{errores:r,avisos:c}=e;return i`<section class="stack" aria-label=${o`Qué puede volver`} aria-live="polite">
    ${!s&&i`<${P} kind="warn">${o`Esto es de antes del último cambio de la planilla.`}<//>`}
    <${Me} planning=${e} />
    ${n}
    ${r.length>0&&i`<${_o} key=${e.huella} notes=${r} columns=${e.columnas} text=${t} isBusy=${a||!s} onCorrect=${l} />`}
    <section class="panel flush">
      <header><h2>${k(e.lineas.length,o`artículo`,o`artículos`)}</h2><span class="muted small">${k(e.filasLeidas,o`fila leída`,o`filas leídas`)}</span></header>
      <${je} caption=${o`Artículos de la planilla`} planning=${e} rowKey=${d=>`${d.itemCode} ${d.motivo}`} extra=${Vt} />
    </section>
    ${c.length>0&&i`<${Jt} title=${k(c.length,o`aviso`,o`avisos`)} notes=${c} />`}
    <section class="panel flush">
      <header><h2>${k(e.documentos.length,o`documento por proveedor`,o`documentos por proveedor`)}</h2></header>
      <${Ae} planning=${e} />
    </section>
  </section>`}function Jt({title:e,notes:t}){return i`<section class="panel flush">
    <header><h2>${e}</h2></header>
    <${E} caption=${e} columns=${Qt} rows=${t} rowKey=${s=>`${s.fila} ${s.columna} ${s.code}`} />
  </section>`}var Yt=[{value:"auto",label:o`Reconocer por la planilla`},{value:"es",label:o`1.234,56 (Chile)`},{value:"en",label:"1,234.56"}];function Yo({catalogues:e}){let t=Ao(),{form:s,preview:a,problem:l,question:n,existing:r,isFresh:c,isSaving:d}=t,$=t.isLooking||d;return i`<${Y} box=${s.box} class="panel" onSubmit=${t.look}><${Xt} catalogues=${e} state=${t} isBusy=${$} /><//>
    ${!r&&!n&&i`<${T} problem=${l} onRetry=${t.mayRetry&&t.look} />`}
    ${n&&i`<${Io} key=${n.requestId} reason=${n.detail} filas=${n.body.filas} columnas=${n.body.columnas} isBusy=${$} onAnswer=${t.changeAndLook("columnas")} />`}
    ${a&&i`<${Jo} preview=${a.found} text=${a.of.texto} isFresh=${c} isBusy=${$} onCorrect=${t.correct}>
      <div class="actions">
        <button type="button" class="main" disabled=${!c||$||!a.found.lineas.length} onClick=${()=>t.save(!1)}>
          ${d&&i`<span class="busy"></span>`}${o`Guardar planificación`}
        </button>
        <span class="muted">${c?o`Todavía no se crea nada en el ERP.`:o`La planilla cambió: vea primero qué puede volver.`}</span>
      </div>
    <//>`}
    ${r&&i`<${Zt} existing=${r} onClose=${t.forgetProblem} onSaveAnother=${()=>t.save(!0)} />`}`}function Xt({catalogues:e,state:t,isBusy:s}){let{form:a,paste:l,header:n,problem:r,isFresh:c,changeAndLook:d}=t,$=m=>{let u=m.target;setTimeout(()=>d("texto")(u.value))},f=r?.errors.some(m=>m.path.startsWith("cabecera."))??!1;return i`<div class="stack">
    <${no} form=${a} />
    <div class="fields">
      <${De} catalogues=${e} value=${l.whsCode} onInput=${d("whsCode")} fault=${r?.of("whsCode")} />
      <${w} label=${o`Cómo están escritos los números`} value=${l.formatoNumero} onInput=${d("formatoNumero")} options=${Yt} />
    </div>
    <${ie} label=${o`Planilla`} value=${l.texto} onInput=${t.change("texto")} fault=${r?.of("texto")}
      hint=${o`Con o sin encabezados. Al pegar se muestra enseguida qué puede volver y qué no.`}
      inputProps=${{class:"paste",spellcheck:!1,onPaste:$,placeholder:Object.values(te).join("	")}} />
    <details open=${f||e.camposDevolucion.some(({obligatorio:m})=>m)}>
      <summary>${o`Fecha, serie, motivo y otros datos`}</summary>
      <${we} catalogues=${e} header=${n} faultOf=${m=>r?.of(`cabecera.${m}`)} onChange=${t.changeHeader} />
    </details>
    <div class="actions">
      <button type="submit" class=${c?"":"main"} disabled=${s||!l.whsCode||!l.texto.trim()}>
        ${t.isLooking&&i`<span class="busy"></span>`}${o`Ver qué puede volver`}
      </button>
      ${l.columnas&&i`<button type="button" class="plain" disabled=${s} onClick=${()=>d("columnas")(null)}>${o`Elegir otras columnas`}</button>`}
      <button type="button" onClick=${()=>a.leave(()=>se(ro("#/devoluciones")))}>${o`Cancelar`}</button>
      ${!l.whsCode&&l.texto.trim()&&i`<span class="muted">${o`Falta elegir la bodega.`}</span>`}
    </div>
  </div>`}function Zt({existing:e,onClose:t,onSaveAnother:s}){return i`<${D} title=${o`Ya hay una planificación abierta`} onClose=${t} foot=${i`
      <a class="button main" autofocus href=${oe(["devoluciones",e.body.id])}>${o`Abrir la planificación ${e.body.id}`}</a>
      <button type="button" onClick=${s}>${o`Guardar otra con lo pegado`}</button>`}>
    <p>${e.detail}</p>
    <p class="muted">${o`Si abre esa, lo que pegó aquí no se guarda en el ERP; queda como borrador en esta pestaña.`}</p>
  <//>`}function fs(){let e=q(ce,[]);return i`<${K} title=${o`Nueva devolución`} crumbs=${[["#/devoluciones",o`Planificaciones`]]}
      about=${o`Copie en la planilla las columnas de código y cantidad, y péguelas aquí.`} />
    <${le} from=${e} what=${o`Leyendo bodegas y series…`}>${t=>i`<${Yo} catalogues=${t} />`}<//>`}var Ve={O:{label:o`Por hacer`,asks:{status:"O",excepto:"ejecutada"}},ejecutada:{label:o`Ejecutadas, sin cerrar`,asks:{status:"O",estado:"ejecutada"}},C:{label:o`Cerradas`,asks:{status:"C"}},todas:{label:o`Todas`,asks:{}}},en=[{key:"numero",title:"N.\xBA",head:!0,cell:e=>i`<a href=${oe(["devoluciones",e.id])}>${e.numero}</a>`},{key:"estado",title:o`Estado`,cell:e=>i`<${Ie} state=${xe(e)} />`},{key:"whsCode",title:o`Bodega`,cell:e=>e.whsCode},{key:"fecha",title:o`Fecha`,cell:e=>M(e.fecha)},{key:"usuario",title:o`Quién`,cell:e=>e.usuario},{key:"creada",title:o`Creada`,cell:e=>ye(e.creada)},{key:"totalLineas",title:o`Líneas`,number:!0,cell:e=>C(e.totalLineas)},{key:"totalDocumentos",title:o`Documentos`,number:!0,cell:e=>C(e.totalDocumentos)},{key:"creados",title:o`Creados`,number:!0,cell:e=>C(e.creados)},{key:"errores",title:o`Con error`,number:!0,cell:e=>e.errores>0&&C(e.errores)}];function Ts({query:e}){let t=Object.hasOwn(Ve,e.get("estado")??"")?e.get("estado"):"O",s={...Ve[t].asks,whsCode:e.get("bodega")??"",desde:e.get("desde")??"",pagina:Number(e.get("pagina")??1),tamano:20},a=q(()=>uo(s),[e.toString()]),l=q(ce,[]),n=c=>{let d={estado:t,bodega:s.whsCode,desde:s.desde,...c};se(oe(["devoluciones"],d),{replace:!0})},r=(l.data?.almacenes??[]).map(({whsCode:c,nombre:d})=>({value:c,label:`${c} \xB7 ${d}`}));return i`<${K} title=${o`Planificaciones de devolución`}>
      <a class="button main" href="#/devoluciones/nueva">${o`Nueva devolución`}</a>
    <//>
    <section class="panel flush">
      <header>
        <${Y} submitsOnEnter class="row" onSubmit=${()=>a.load()}>
          <${w} label=${o`Estado`} value=${t} onInput=${c=>n({estado:c})}
            options=${Object.entries(Ve).map(([c,{label:d}])=>({value:c,label:d}))} />
          <${w} label=${o`Bodega`} value=${s.whsCode} onInput=${c=>n({bodega:c})} options=${r} empty=${o`Todas`} />
          <${F} label=${o`Desde`} type="date" value=${s.desde} onInput=${c=>n({desde:c})} />
        <//>
      </header>
      <${le} from=${a}>
        ${c=>i`<${E} caption=${o`Planificaciones`} columns=${en} rows=${c.datos} rowKey=${d=>d.id}
            empty=${i`${o`Ninguna así. Quite alguna condición, o pegue una planilla en`} <a href="#/devoluciones/nueva">${o`Nueva devolución`}</a>.`} />
          <${Do} page=${c.pagina} pages=${c.paginas} total=${c.total} what=${o`planificaciones`} one=${o`planificación`} onPage=${d=>n({pagina:d})} />`}
      <//>
    </section>`}var Xo={key:"editar",title:o`Cambiar`,quiet:!0,controls:!0},Zo=e=>z(e)?o`Elegir ${e.gestion}`:o`Cambiar`;function et(e,t,s){return S(()=>{let a=fe(e?.documentos??[]),l=n=>i`<button type="button" class="small" onClick=${()=>s(n.lineId)} aria-label=${`${Zo(n)} ${n.itemCode}`}>${Zo(n)}</button>`;return{ofLines:[{...Xo,cell:n=>t&&!be(n,a)&&l(n)}],ofItems:t?[{...Xo,cell:({line:n})=>z(n)&&!be(n,a)&&l(n)}]:[]}},[e,t])}function ot(e,t){let s=e?.camposDevolucion??[],a=t.camposDevolucion??{};return[...new Set([...s.map(({nombre:n})=>n),...Object.keys(a)])].map(n=>{let r=s.find(({nombre:d})=>d===n),c=a[n]??null;return[r?.etiqueta??n,r?.valores.find(({codigo:d})=>d===c)?.nombre??c]})}function tt(e,t){return(e?.camposDevolucion??[]).filter(({obligatorio:a})=>a).filter(({nombre:a})=>!t.camposDevolucion?.[a]).map(({etiqueta:a})=>a)}function Je(e,t){let s=a=>JSON.stringify(a??null);return Object.fromEntries(Object.entries(t).filter(([a,l])=>s(l)!==s(e[a])))}var ne=6,Ye=["stream_ended","no_connection"];function nt({outcome:e,problem:t}){let{text:s,kind:a,open:l}=e;return i`<${P} kind=${a} title=${s} live>
    ${t&&!Ye.includes(t.code)&&i`<p>${t.detail}</p>`}
    ${l.length>0&&i`<ul>
      ${l.slice(0,ne).map(n=>i`<li key=${n.docId}>${n.proveedor||n.cardCode}: ${n.mensaje??ue(de,n.estado)[0]}</li>`)}
      ${l.length>ne&&i`<li>${o`y ${l.length-ne} más, en la tabla`}</li>`}
    </ul>`}
    ${l.some(({estado:n})=>n==="error")&&i`<p>${o`Corrija la causa y pulse «Reprocesar»: lo creado no se repite.`}</p>`}
  <//>`}function at(e){let t=new Map;for(let{proveedor:a,cardCode:l,rows:n}of e)for(let r of n){let c=t.get(r.key)??{...r,cantidad:0,suppliers:[]};t.set(r.key,{...c,cantidad:(N(c.cantidad)+N(r.cantidad))/1e6,suppliers:[...c.suppliers,a||l]})}let s=(a,l)=>a.localeCompare(l,"es",{numeric:!0});return[...t.values()].sort((a,l)=>s(a.itemCode,l.itemCode)||s(a.lot,l.lot))}function rt(){let[e,t]=v(!1);return A(()=>{let a=()=>t(!0),l=()=>t(!1);return addEventListener("beforeprint",a),addEventListener("afterprint",l),()=>{removeEventListener("beforeprint",a),removeEventListener("afterprint",l)}},[]),{isPrinting:e,print:()=>{t(!0),setTimeout(()=>window.print())}}}function it({planning:e,warehouse:t}){let{cabecera:s}=e,a=Vo(e),l={about:o`Planificación ${e.numero} · Bodega ${s.whsCode}${t?.nombre?` ${t.nombre}`:""} · ${M(s.fecha)}`,hasBins:t?.ubicaciones===!0};return i`<div class="pick-list">
    ${a.length>1&&i`<${st} title=${o`Retiro de la bodega ${s.whsCode}`} ...${l} rows=${at(a)} />`}
    ${a.map(n=>i`<${st} key=${n.cardCode} title=${n.proveedor||n.cardCode} ...${l} rows=${n.rows}
      more=${`${n.cardCode}${n.rut?` \xB7 RUT ${n.rut}`:""}${on(n)}`} />`)}
  </div>`}var on=({numbers:e})=>e.length>0?` \xB7 ${e.length===1?o`Devolución`:o`Devoluciones`} N.\xBA ${e.join(", ")}`:"";function st({title:e,about:t,more:s,rows:a,hasBins:l}){let n=a.some(({suppliers:r})=>r);return i`<section>
    <header><h2>${e}</h2><p>${t}</p>${s&&i`<p>${s}</p>`}</header>
    <table>
      <thead><tr><th scope="col">${o`Hecho`}</th>${l&&i`<th scope="col" class="bin">${o`Ubicación`}</th>`}<th scope="col">${o`Artículo`}</th><th scope="col">${o`Descripción`}</th><th scope="col">${o`Lote o serie`}</th><th scope="col" class="number">${o`Cantidad`}</th>${n&&i`<th scope="col">${o`Para`}</th>`}</tr></thead>
      <tbody>${a.map(r=>i`<tr key=${r.key}>
        <td><span class="tick"></span></td>${l&&i`<td class="bin"></td>`}<th scope="row" class="mono">${r.itemCode}</th><td>${r.descripcion}</td><td>${r.lot}</td><td class="number">${C(r.cantidad)} ${r.unidad}</td>${n&&i`<td>${r.suppliers.join(", ")}</td>`}
      </tr>`)}</tbody>
    </table>
    <p>${k(a.length,o`fila`,o`filas`)}</p>
    <div class="signature"><span>${o`Retiró`}</span><span>${o`Fecha y hora`}</span><span>${o`Firma`}</span></div>
  </section>`}var tn=0,qe=()=>({id:++tn,itemCode:"",cantidad:"",motivo:""}),nn=e=>e.itemCode.trim()===""&&e.cantidad.trim()==="",lt=e=>e.itemCode.trim()!==""&&e.cantidad.trim()!=="";function ct(){let[e,t]=v(()=>[qe()]),s=U(null),a=()=>s.current.querySelector("fieldset:last-of-type input").focus();ve(a,[e.at(-1).id]);let l=c=>{let d=c.at(-1).itemCode.trim()==="";t(d?c:[...c,qe()]),d&&a()};return{rows:e,box:s,scanned:c=>d=>{if(!ee(d))return;d.preventDefault();let $=c.itemCode.trim();if($==="")return;let f=e.find(p=>p!==c&&p.itemCode.trim().toUpperCase()===$.toUpperCase()),m={...c,cantidad:c.cantidad.trim()||"1"},u=f&&Ho(f.cantidad,m.cantidad);u!==void 0?t(e.map(p=>p===f?{...p,cantidad:u}:p===c?{...c,itemCode:"",cantidad:""}:p)):l(e.map(p=>p===c?m:p))},amountRead:c=>{ee(c)&&(c.preventDefault(),l(e))},setRows:t,written:e.filter(c=>!nn(c)),add:()=>t([...e,qe()]),remove:c=>t(e.filter(d=>d.id!==c)),set:(c,d)=>$=>t(f=>f.map(m=>m.id===c?{...m,[d]:$}:m)),restore:c=>t(c.map(d=>({...d,id:qe().id})))}}function I(e,t,{isBusy:s=!1,problem:a=null,isDisabled:l=!1,kind:n="main"}={}){return i`<button type="button" onClick=${e}>${o`Cancelar`}</button>
    <button type="submit" class=${n} disabled=${s||me(a)||l}>${s&&i`<span class="busy"></span>`}${t}</button>`}function _e(e){let t=e.map(([a,l])=>({path:a,...W(l)})),s=t.filter(({fault:a})=>a).map(({path:a,fault:l})=>({path:a,message:l}));if(s.length)throw new ao({code:"no_number",detail:o`Corrija las cantidades. No se envió nada.`,errors:s});return t.map(({value:a})=>a)}var me=e=>e?.code==="stale_version",Be={isBusy:!1,problem:null,isRefreshed:!1,failure:null};function Q(e,t){let[s,a]=v(Be);return{...s,submit:async r=>{a({...Be,isBusy:!0});try{e(await r())}catch(c){a({...Be,problem:R(c)})}},refresh:async()=>{a(c=>({...c,isBusy:!0}));let r=await t();a(c=>r?{...c,isBusy:!1,failure:r}:{...Be,isRefreshed:!0})}}}function V({sending:e}){let t=U(null);return A(()=>{e.isRefreshed&&t.current.closest("form").querySelector(".dialog-body :is(input, select, textarea), [type=submit]")?.focus()},[e.isRefreshed]),e.isRefreshed?i`<div ref=${t}><${P} kind="ok" live>${o`Esto es lo que hay ahora. Lo que usted escribió sigue aquí: compruébelo y guárdelo.`}<//></div>`:i`<${T} problem=${e.problem}>
    ${e.failure&&i`<p>${o`No se pudo traer: ${e.failure.detail}`}</p>`}
    ${me(e.problem)&&i`<div class="actions"><button type="button" disabled=${e.isBusy} onClick=${e.refresh}>${o`Traer lo nuevo`}</button></div>`}
  <//>`}var dt=(e,t)=>`lineas[${e}].${t}`;function an(e){let t=_e(e.map(({cantidad:s},a)=>[dt(a,"cantidad"),s]));return e.map(({itemCode:s,motivo:a},l)=>({itemCode:s.trim(),cantidad:t[l],motivo:a||void 0}))}function ut({planning:e,catalogues:t,onClose:s,onDone:a,onRefresh:l}){let n=ct(),{written:r}=n,d=Q(b=>{f.saved(),a(b,`${k(r.length,o`artículo añadido`,o`artículos añadidos`)}.`)},l),$=r.length>0,f=H({service:j,name:`add/${e.id}`,typed:r,isTouched:$,isHeld:$&&!d.isBusy,restore:n.restore,refusal:d.problem}),m=()=>f.leave(s),u=()=>{n.setRows(r),d.submit(()=>ho(e.id,{version:e.version,lineas:an(r)}))},p=(t?.motivos??[]).map(({codigo:b,nombre:h})=>({value:b,label:`${b} \xB7 ${h}`}));return i`<${D} large form=${f} title=${o`Añadir artículos`} onClose=${m} onSubmit=${u}
      foot=${I(m,o`Añadir y planificar`,{...d,isDisabled:r.length===0||!r.every(lt)})}>
    <p class="muted">${o`Escriba los códigos o léalos con el lector: cada lectura pasa al artículo siguiente, y la del mismo artículo suma uno.`}</p>
    <div class="stack tight" data-lines ref=${n.box}>
      ${n.rows.map((b,h)=>i`<${sn} key=${b.id} row=${b} at=${h} typed=${n} reasons=${p} faultOf=${g=>d.problem?.of(dt(h,g))} />`)}
      <div class="actions"><button type="button" class="small" data-another onClick=${n.add}>${o`Otro artículo`}</button></div>
    </div>
    <${V} sending=${d} />
  <//>`}function sn({row:e,at:t,typed:s,reasons:a,faultOf:l}){let{set:n,scanned:r,amountRead:c}=s;return i`<fieldset class="row"><legend class="unseen">${o`Artículo ${t+1}`}</legend>
    <${F} label=${o`Artículo`} grow value=${e.itemCode} onInput=${n(e.id,"itemCode")} fault=${l("itemCode")}
      inputProps=${{autocomplete:"off",spellcheck:!1,onKeyDown:r(e)}} />
    <${F} label=${o`Cantidad`} value=${e.cantidad} onInput=${n(e.id,"cantidad")} fault=${l("cantidad")}
      inputProps=${{inputmode:"decimal",autocomplete:"off",onKeyDown:c}} />
    <${w} label=${o`Motivo`} value=${e.motivo} onInput=${n(e.id,"motivo")} options=${a} empty=${o`El de la devolución`} fault=${l("motivo")} />
    ${s.rows.length>1&&i`<button type="button" class="plain small" aria-label=${o`Quitar el artículo ${t+1}`} onClick=${()=>s.remove(e.id)}>${o`Quitar`}</button>`}
  </fieldset>`}function mt({planning:e,onClose:t,onDone:s}){let[a,l]=v(""),n=Q(d=>{r.saved(),s(d)}),r=H({service:j,name:`cerrar/${e.id}`,typed:a,isTouched:a!=="",isHeld:a!==""&&!n.isBusy,restore:l,refusal:n.problem}),c=()=>r.leave(t);return i`<${D} form=${r} title=${o`Cerrar la planificación`} onClose=${c} onSubmit=${()=>n.submit(()=>yo(e.id,a||null))}
      foot=${I(c,o`Cerrar planificación`,{...n,kind:"danger main"})}>
    <p>${o`Lo que no se creó se descarta. No se puede volver a abrir.`}</p>
    <${ie} label=${o`Motivo`} value=${a} onInput=${l} fault=${n.problem?.of("motivo")} inputProps=${{rows:2,style:{minHeight:"4rem"}}} />
    <${V} sending=${n} />
  <//>`}function pt({planning:e,sheet:t,onClose:s,onRun:a}){let l=t.filter(({estado:p})=>p==="pendiente"),n=l.filter(({lacks:p})=>!p),r=l.filter(({lacks:p})=>p),[c,d]=v(()=>new Set(n.map(({docId:p})=>p))),$=p=>b=>{let h=new Set(c);b?h.add(p):h.delete(p),d(h)},f=c.size===l.length,m=()=>a({version:e.version,...f?{}:{documentos:[...c]}}),u=p=>`${p.proveedor||p.cardCode} (${k(p.lineas,o`línea`,o`líneas`)}, ${ae(p.total,p.moneda)})`;return i`<${D} title=${o`Crear las devoluciones en el ERP`} onClose=${s} onSubmit=${m}
      foot=${I(s,o`Crear ${k(c.size,o`devolución`,o`devoluciones`)}`,{isDisabled:c.size===0})}>
    <p>${o`Cada documento se crea una sola vez, aunque se corte la conexión.`}</p>
    <fieldset class="stack tight">
      <legend>${o`Documentos`}</legend>
      ${n.map(p=>i`<${X} key=${p.docId} checked=${c.has(p.docId)} onInput=${$(p.docId)} label=${u(p)} />`)}
    </fieldset>
    ${r.length>0&&i`<${P} kind="warn" title=${k(r.length,o`documento queda fuera hasta que elija sus lotes o series`,o`documentos quedan fuera hasta que elija sus lotes o series`)}>
      <ul>${r.map(p=>i`<li key=${p.docId}>${u(p)}</li>`)}</ul>
    <//>`}
  <//>`}function $t({planning:e,catalogues:t,onClose:s,onDone:a,onRefresh:l}){let n=e.cabecera,[r,c]=v({}),d=Q(h=>{p.saved(),a(h,o`Datos cambiados.`)},l),$=Je(n,r),f={...n,...r},m=(h,g)=>c(y=>Je(n,{...y,[h]:g})),u=Object.keys($).length>0,p=H({service:j,name:`datos/${e.id}`,typed:r,isTouched:u,isHeld:u&&!d.isBusy,restore:c,stamp:e.version,refusal:d.problem}),b=()=>p.leave(s);return i`<${D} large form=${p} title=${o`Datos de la devolución`} onClose=${b}
      onSubmit=${()=>d.submit(()=>fo(e.id,{version:e.version,...$}))}
      foot=${I(b,o`Guardar`,{...d,isDisabled:!u})}>
    <${De} catalogues=${t} value=${f.whsCode} onInput=${h=>m("whsCode",h)} fault=${d.problem?.of("whsCode")} />
    ${$.whsCode&&i`<${P} kind="warn">${o`Con otra bodega se planifica todo de nuevo.`}<//>`}
    <${we} catalogues=${t} header=${f} onChange=${m} faultOf=${h=>d.problem?.of(h)} />
    <${V} sending=${d} />
  <//>`}var Xe=e=>`lote ${e}`;function Ue(e){let{leer:t}=e.target.form.elements;!ee(e)||!t||(e.preventDefault(),t.focus())}function ft({id:e,version:t},s){let a=s.gestion!=="ninguna",l=q(()=>a?vo(e,s.lineId):Promise.resolve({lotes:[]}),[s.lineId,t]),[n,r]=v({}),c=S(()=>Object.fromEntries((l.data?.lotes??[]).map(b=>[O(b),n[O(b)]??(b.elegida?G(b.elegida):"")])),[l.data,n]),d=Object.keys(n).length>0,$=Object.entries(c).filter(([,b])=>b.trim()!==""),f=$.map(([b,h])=>[b,W(h).value]).filter(([,b])=>b>0),m=d&&!l.data,u=!d||m?{}:s.gestion==="series"?{series:f.map(([b])=>b)}:{lotes:f.map(([b,h])=>({lote:b,cantidad:h}))},p=f.reduce((b,[,h])=>b+h,0);return{lots:l,amounts:c,total:p,changes:u,isUnread:m,typed:$.map(([b,h])=>[Xe(b),h]),picked:n,setPicked:r,pick:(b,h)=>r(g=>({...g,[b]:h}))}}function bt({picks:e,line:t,isRaised:s,what:a}){let[l,n]=v(""),[r,c]=v(null),d=m=>{n(m),c(null)},$=m=>{if(!e.lots.data)return{fault:o`Todavía se está leyendo qué hay en la bodega.`};let u=Ko(e.lots.data.lotes,m);if(!u)return{fault:o`En la bodega no hay ${a} ${m} de este artículo.`};let p=W(e.amounts[O(u)]).value??0,b=N(t.asignada)-N(e.total),h=Math.min(N(u.disponible),N(p)+b)/1e6;return h<=p&&b<=0&&s?{fault:o`Guarde primero la cantidad nueva; después lea lo que falta.`}:h<=p?{fault:b>0?o`De ${O(u)} ya está elegido todo lo disponible.`:o`Ya está elegido todo lo que vuelve.`}:(e.pick(O(u),G(h)),{hint:`${O(u)}: ${C(h)}.`})},f=m=>{if(!ee(m))return;m.preventDefault();let u=l.trim();if(u==="")return;let p=$(u);c(p),p.hint?n(""):m.target.select()};return i`<${F} label=${o`Leer ${a}`} value=${l} onInput=${d} hint=${r?.hint??o`Con el lector, o escriba y pulse Enter.`} fault=${r?.fault}
    inputProps=${{name:"leer",autocomplete:"off",spellcheck:!1,onKeyDown:f,autofocus:z(t)}} />`}function ht({picks:e,line:t,isRaised:s,faultOf:a}){let l=t.gestion==="series",n=l?o`Números de serie`:o`Lotes`,{lots:r,amounts:c,total:d}=e,$=()=>{let m=N(t.asignada);for(let u of r.data.lotes){let p=Math.min(N(u.disponible),m);e.pick(O(u),p>0?G(p/1e6):""),m-=Math.max(p,0)}},f=[{key:"name",title:l?o`Serie`:o`Lote`,head:!0,cell:O},{key:"vence",title:o`Vence`,cell:m=>M(m.vence)},{key:"ingreso",title:o`Ingresó`,cell:m=>M(m.ingreso)},{key:"disponible",title:o`Disponible`,number:!0,cell:m=>C(m.disponible)},{key:"pick",title:l?o`Vuelve`:o`Cuánto vuelve`,controls:!0,cell:m=>l?i`<input type="checkbox" aria-label=${o`Devolver ${O(m)}`} checked=${c[O(m)]!==""} disabled=${m.disponible<=0}
            onChange=${u=>e.pick(O(m),u.target.checked?"1":"")} />`:i`<${rn} name=${O(m)} value=${c[O(m)]} fault=${a(Xe(O(m)))} onInput=${u=>e.pick(O(m),u)} />`}];return i`<section class="stack tight">
    <div class="page-head"><h3>${n}</h3>
      <span role="status" class="muted">${o`${C(d)} de ${k(t.asignada,o`elegido`,o`elegidos`)}`}</span>
      ${r.data?.lotes.length>0&&i`<button type="button" class="small" onClick=${$}>${o`Tomar los que vencen primero`}</button>`}
    </div>
    <${bt} picks=${e} line=${t} isRaised=${s} what=${l?"serie":"lote"} />
    <${T} problem=${r.problem} onRetry=${r.load} />
    ${r.data?i`<${E} caption=${n} columns=${f} rows=${r.data.lotes} rowKey=${O} empty=${o`No hay existencias de este artículo en la bodega: baje la cantidad o deje fuera la línea.`} />`:!r.problem&&i`<${Ce} low />`}
  </section>`}function rn({name:e,value:t,fault:s,onInput:a}){let l=eo();return i`<input ref=${n=>ke(n)} inputmode="decimal" autocomplete="off" aria-label=${o`Cantidad de ${e}`} aria-invalid=${s?"true":void 0}
      aria-describedby=${s?l:void 0} value=${t} onInput=${n=>a(n.target.value)} onKeyDown=${Ue} />
    ${s&&i`<span class="fault" id=${l}>${s}</span>`}`}function gt({planning:e,lineId:t,catalogues:s,onClose:a,onDone:l,onRefresh:n}){let r=S(()=>e.lineas.find(L=>L.lineId===t),[e]),[c,d]=v({}),$=L=>Ge=>d(Rt=>({...Rt,[L]:Ge})),{quantity:f=G(r.cantidad),isOut:m=r.excluida,reason:u=r.motivo??"",supplier:p=r.cardCode??""}=c,b=ft(e,r),h=Q(L=>{Ke.saved(),l(L,`${r.itemCode}: cambiado.`)},n),{value:g}=W(f),y={...g!==r.cantidad&&{cantidad:g},...m!==r.excluida&&{excluida:m},...u!==(r.motivo??"")&&{motivo:u||null},...p!==(r.cardCode??"")&&{cardCode:p||null},...b.changes},x=()=>(_e([["cantidad",f],...b.typed]),bo(e.id,r.lineId,{version:e.version,...y})),_=Object.keys(y).length>0||b.isUnread,Ke=H({service:j,name:`line/${e.id}/${r.lineId}`,stamp:e.version,typed:{touched:c,picked:b.picked},isTouched:_,isHeld:_&&!h.isBusy,restore:L=>{d(L.touched??{}),b.setPicked(L.picked??{})},refusal:h.problem}),Ze=()=>Ke.leave(a),Lt=ln(e,r);return i`<${D} large=${r.gestion!=="ninguna"} form=${Ke} title=${`${r.itemCode} \xB7 ${r.descripcion}`} onClose=${Ze}
      onSubmit=${()=>h.submit(x)}
      foot=${I(Ze,o`Guardar`,{...h,isDisabled:f.trim()===""||!_||b.isUnread})}>
    <div class="fields">
      <${F} label=${o`Cantidad${r.unidad?` (${r.unidad})`:""}`} value=${f} onInput=${$("quantity")} needed
        hint=${o`Hay ${C(r.stock)} en la bodega; hoy vuelven ${C(r.asignada)}.`}
        inputProps=${{inputmode:"decimal",autocomplete:"off",autofocus:!z(r),onKeyDown:Ue}} fault=${h.problem?.of("cantidad")} />
      <${w} label=${o`Proveedor`} value=${p} onInput=${$("supplier")} options=${Lt} empty=${o`El de la entrada más antigua`} fault=${h.problem?.of("cardCode")} />
      <${w} label=${o`Motivo`} value=${u} onInput=${$("reason")} empty=${o`El de la devolución`} fault=${h.problem?.of("motivo")}
        options=${(s?.motivos??[]).map(({codigo:L,nombre:Ge})=>({value:L,label:`${L} \xB7 ${Ge}`}))} />
    </div>
    <${X} label=${o`Dejar fuera de la devolución`} checked=${m} onInput=${$("isOut")} />
    ${r.gestion!=="ninguna"&&i`<${ht} picks=${b} line=${r} isRaised=${g>r.cantidad} faultOf=${L=>h.problem?.of(L)} />`}
    <${V} sending=${h} />
  <//>`}function ln(e,t){let s=new Map(e.documentos.map(a=>[a.cardCode,a.proveedor]));return t.cardCode&&!s.has(t.cardCode)&&s.set(t.cardCode,t.cardCode),[...s].map(([a,l])=>({value:a,label:`${a} \xB7 ${l}`}))}function vt({planning:e,documents:t,onClose:s}){let[a,l]=v({cedible:!1,parcial:!1}),[n,r]=v({file:null,problem:null,isBusy:!0});A(()=>{let u=!0;return r({file:null,problem:null,isBusy:!0}),Co(e.id,a).then(p=>u&&r({file:p,problem:null,isBusy:!1}),p=>u&&r({file:null,problem:R(p),isBusy:!1})),()=>{u=!1}},[a]);let{file:c,problem:d,isBusy:$}=n,f=c?.headers.get("X-Documentos-Omitidos"),m=u=>t.find(p=>p.docId===u)?.proveedor??o`Documento ${u}`;return i`<${D} large title=${o`Documentos tributarios de la planificación ${e.numero}`} onClose=${s}>
    <${X} label=${o`Copia cedible`} checked=${a.cedible} onInput=${u=>l({...a,cedible:u})} />
    ${$&&i`<p role="status" class="busy"> ${o`Reuniendo ${k(t.length,o`documento`,o`documentos`)}…`}</p>`}
    <${T} problem=${d} onRetry=${()=>l({...a})}>
      ${d?.body.documentos?.length>0&&i`<ul>
        ${d.body.documentos.map(u=>i`<li>${typeof u=="number"?m(u):`${m(u.docId)}: ${u.message}`}</li>`)}
      </ul>`}
      ${d?.code==="folio_missing"&&i`<div class="actions"><button type="button" class="small" onClick=${()=>l({...a,parcial:!0})}>${o`Ver los que ya tienen folio`}</button></div>`}
    <//>
    ${f&&i`<${P} kind="warn">${o`Sin folio todavía, y por eso fuera: ${f.split(", ").map(u=>m(Number(u))).join("; ")}.`}<//>`}
    ${c&&i`<${No} file=${c} title=${o`Documentos tributarios`} />`}
  <//>`}function yt({planning:e,onClose:t,onDone:s,onRefresh:a}){let l=r=>J(Te(r).asignada).join(" \xB7 "),n=Q(r=>s(r,o`Planificada de nuevo: vuelven ${l(r)}, antes ${l(e)}.`),a);return i`<${D} title=${o`Planificar de nuevo`} onClose=${t} onSubmit=${()=>n.submit(()=>go(e.id,e.version))}
      foot=${I(t,o`Planificar de nuevo`,n)}>
    <p>${o`Se reparte otra vez con el stock y las entradas de hoy. Lo que ya está en una devolución no se toca, y los lotes elegidos quedan hasta donde alcancen.`}</p>
    <${V} sending=${n} />
  <//>`}function kt({planning:e,onClose:t,onRun:s}){let[a,l]=v(!1),n=e.documentos.filter(r=>r.estado!=="creado"&&!B(r));return i`<${D} title=${o`Reprocesar lo que falta`} onClose=${t} onSubmit=${()=>s({replanificar:a})} foot=${I(t,o`Reprocesar`)}>
    <p>${o`Primero se busca en el ERP qué quedó hecho; lo creado no se toca. ${k(n.length,o`documento queda`,o`documentos quedan`)} por resolver.`}</p>
    <${X} label=${o`Planificar de nuevo todo lo que falló, con el stock de hoy`} checked=${a} onInput=${l} />
    <p class="small muted">${o`Sin marcar, lo que falló por algo pasajero (período, serie, tipo de cambio) se intenta otra vez como está; lo demás se planifica de nuevo igualmente.`}</p>
  <//>`}function Ct({open:e,planning:t,catalogues:s,onClose:a,onDone:l,onRefresh:n,onRun:r}){let c={planning:t,catalogues:s,onClose:a,onDone:l,onRefresh:n},d=()=>t.documentos.filter(({estado:f})=>f==="creado"),$=()=>{a(),n()};switch(e.kind){case"execute":return i`<${pt} planning=${t} sheet=${Z(t)} onClose=${a} onRun=${f=>r("devoluciones",f)} />`;case"reprocess":return i`<${kt} planning=${t} onClose=${a} onRun=${f=>r("reprocesar",f)} />`;case"close":return i`<${mt} planning=${t} onClose=${a} onDone=${f=>l(f,o`Planificación cerrada.`)} />`;case"line":return i`<${gt} key=${e.lineId} lineId=${e.lineId} ...${c} />`;case"add":return i`<${ut} ...${c} />`;case"replan":return i`<${yt} planning=${t} onClose=${a} onDone=${l} onRefresh=${n} />`;case"header":return i`<${$t} ...${c} />`;case"pdf":return i`<${vt} planning=${t} documents=${d()} onClose=${$} />`;default:return null}}function St({planning:e,states:t,extra:s,onPrint:a}){let l=S(()=>({...e,documentos:e.documentos.map(c=>({...c,...t?.[c.docId]}))}),[e,t]),n=l.documentos.filter(c=>!B(c)).length,r=S(()=>Z(e).some(c=>!B(c)&&c.parts.length>0),[e]);return i`<section class="panel flush">
    <header><h2>${k(n,o`documento por proveedor`,o`documentos por proveedor`)}</h2>
      ${r&&i`<button type="button" class="small" onClick=${a}>${o`Imprimir lista de retiro`}</button>`}
    </header>
    <${Ae} planning=${l} extra=${s} />
  </section>`}var He=(e,t,s)=>s===null?null:e?.find(a=>a[t]===s)?.nombre??s,cn=(e,t)=>[[o`Fecha de contabilización`,M(t.fecha)],[o`Fecha del documento`,M(t.fechaDocumento)],[o`Serie`,He(e?.series,"serie",t.serie)??o`La del ERP`],[o`Motivo`,He(e?.motivos,"codigo",t.motivo)??o`Sin motivo`],[o`Tipo de traslado`,He(e?.indTraslado,"codigo",t.indTraslado)??t.indTraslado],[o`Tipo de despacho`,He(e?.tipoDespacho,"codigo",t.tipoDespacho)??o`Sin indicar`],...ot(e,t).map(([s,a])=>[s,a??o`Sin indicar`]),[o`Comentario`,t.comentario??o`Sin comentario`]];function xt({header:e,catalogues:t,onChange:s}){return i`<section class="panel">
    <header><h2>${o`Datos de la devolución`}</h2>
      ${s&&i`<button type="button" class="small" disabled=${!t} onClick=${s}>${o`Cambiar datos`}</button>`}
    </header>
    <dl class="pairs columns">${cn(t,e).map(([a,l])=>i`<div><dt>${a}</dt><dd>${l}</dd></div>`)}</dl>
  </section>`}function Pt({planning:e,may:t,extra:s,onOpen:a,onProblem:l}){let[n,r]=v(!1),c=async()=>{r(!0),l(null);try{Eo(await ko(e.id))}catch(d){l(R(d))}r(!1)};return i`<section class="panel flush">
    <header><h2>${k(e.lineas.length,o`línea`,o`líneas`)}</h2>
      <div class="actions">
        ${t("lineas")&&i`<button type="button" class="small" onClick=${()=>a("add")}>${o`Añadir artículos`}</button>`}
        ${t("replanificar")&&i`<button type="button" class="small" onClick=${()=>a("replan")}>${o`Planificar de nuevo`}</button>`}
        ${e.lineas.some(Go)&&i`<button type="button" class="small" disabled=${n} onClick=${c}>${o`Descargar faltantes`}</button>`}
      </div>
    </header>
    <${je} caption=${o`Líneas de la planificación`} planning=${e} rowKey=${d=>d.lineId} extra=${s} />
  </section>`}function Ot({lines:e,onOpen:t}){return i`<${P} kind="warn">
    <p>${o`${k(e.length,o`artículo espera`,o`artículos esperan`)} que elija sus lotes o series antes de ejecutar.`}</p>
    <div class="actions">${e.slice(0,ne).map(s=>i`<button type="button" class="small" key=${s.lineId} onClick=${()=>t("line",s.lineId)}>${o`Elegir los de ${s.itemCode}`}</button>`)}
      ${e.length>ne&&i`<span>y ${k(e.length-ne,o`más, en su línea`,o`más, en sus líneas`)}</span>`}</div>
  <//>`}function Dt({titles:e,onOpen:t}){return i`<${P} kind="warn">
    <p>${o`Antes de ejecutar hay que completar: ${e.join(", ")}.`}</p>
    <div class="actions"><button type="button" class="small" onClick=${()=>t("header")}>${o`Completar datos`}</button></div>
  <//>`}var dn=3e3,un={hechos:0,total:0,states:{}},mn=(e,t)=>({...e,...t,states:t.documento?{...e.states,[t.documento.docId]:t.documento}:e.states});function wt(e){let t=e.data,[s,a]=v(null),[l,n]=v(null),[r,c]=v(null),[d,$]=v(null),f=t?.estado==="en_proceso"&&t.acciones.length===0&&s===null;A(()=>{if(!f)return;let b=setInterval(e.load,dn);return()=>{clearInterval(b),$(null)}},[f]);let m=l!==null&&s===null&&!f&&!(d&&t.version===l.version);ve(()=>{m&&(c(Qo(l.documentos,t.documentos)),n(null))},[m]);let u=b=>{$(null),n(b),c(null)};return{run:s,outcome:r,problem:d,setProblem:$,isRunningElsewhere:f,start:async(b,h)=>{u(t),a(un);try{e.put(await So(t.id,b,h,g=>a(y=>mn(y,g))))}catch(g){let y=R(g);$(y),Ye.includes(y.code)||n(null),me(y)||await e.load()}a(null)},forget:()=>u(null)}}var Nt=[["#/devoluciones",o`Planificaciones`]];function Pc({params:e}){let t=q(()=>mo(e.id),[e.id]);return t.data?i`<${pn} key=${e.id} loaded=${t} />`:i`<${K} title=${o`Planificación ${e.id}`} crumbs=${Nt} />
    ${t.problem?i`<${T} problem=${t.problem} onRetry=${t.load} />`:i`<${Ce} />`}`}function pn({loaded:e}){let t=e.data,s=q(ce,[]),[a,l]=v(null),n=wt(e),r=y=>n.run===null&&t.acciones.includes(y),c=(y,x=void 0)=>l({kind:y,lineId:x}),d=et(t,r("editar"),y=>c("line",y)),{isPrinting:$,print:f}=rt(),m=(y,x)=>{e.put(y),l(null),n.forget(),x&&re(x)},u=(y,x)=>(l(null),n.start(y,x)),p=zo(t.documentos)?[]:tt(s.data,t.cabecera),b=r("editar")&&fe(t.documentos).size===0,h=i`<${St} key="documents" planning=${t} states=${n.run?.states} extra=${d.ofItems} onPrint=${f} />`,g=i`<${Pt} key="lines" planning=${t} may=${r} extra=${d.ofLines} onOpen=${c} onProblem=${n.setProblem} />`;return i`<${$n} planning=${t} may=${r} isWhole=${p.length===0} onOpen=${c} />
    <${fn} running=${n} loaded=${e} />
    ${r("editar")&&i`<${bn} planning=${t} lacking=${p} onOpen=${c} />`}
    <${Me} planning=${t} />
    ${Tt(t)==="planificada"?[g,h]:[h,g]}
    <${xt} header=${t.cabecera} catalogues=${s.data} onChange=${b&&(()=>c("header"))} />
    ${a&&i`<${Ct} open=${a} planning=${t} catalogues=${s.data} onClose=${()=>l(null)} onDone=${m} onRefresh=${e.load} onRun=${u} />`}
    ${$&&i`<${it} planning=${t} warehouse=${s.data?.almacenes.find(({whsCode:y})=>y===t.cabecera.whsCode)} />`}`}var Et=({documentos:e})=>e.some(({estado:t})=>t==="creado"),Tt=e=>xe({estado:e.estado,creados:Number(Et(e))});function $n({planning:e,may:t,isWhole:s,onOpen:a}){let{cabecera:l}=e,n=t("devoluciones")&&s&&Z(e).some(({estado:$,lacks:f})=>$==="pendiente"&&!f),r=Et(e),c=n?"execute":t("reprocesar")?"reprocess":"pdf",d=$=>$===c?"main":"";return i`<${K} title=${o`Planificación ${e.numero}`} crumbs=${Nt} openedAt=${j}
      about=${i`<${Ie} state=${Tt(e)} /> ${o`Bodega ${l.whsCode}, hecha por ${e.usuario} el ${ye(e.creada)}`}`}>
    ${n&&i`<button type="button" class=${d("execute")} onClick=${()=>a("execute")}>${o`Ejecutar`}</button>`}
    ${t("reprocesar")&&i`<button type="button" class=${d("reprocess")} onClick=${()=>a("reprocess")}>${o`Reprocesar`}</button>`}
    ${r&&i`<button type="button" class=${d("pdf")} onClick=${()=>a("pdf")}>${o`Ver documentos tributarios`}</button>`}
    ${t("cerrar")&&i`<button type="button" onClick=${()=>a("close")}>${o`Cerrar planificación`}</button>`}
  <//>`}function fn({running:{run:e,outcome:t,problem:s,setProblem:a,isRunningElsewhere:l},loaded:n}){let r=async()=>{await n.load()||a(null)};return i`${e&&i`<section class="panel"><${wo} done=${e.hechos} total=${e.total}>
      ${e.total?`${e.hechos} de ${k(e.total,o`documento`,o`documentos`)}`:o`Preparando los documentos…`}
    <//></section>`}
    ${l&&i`<${P} live>${o`Se está ejecutando. Esta página se pone al día sola.`}<//>`}
    ${t&&i`<${nt} outcome=${t} problem=${s} />`}
    ${!t&&i`<${T} problem=${s}>
      ${me(s)&&i`<div class="actions"><button type="button" onClick=${r}>${o`Traer lo nuevo`}</button></div>`}
    <//>`}
    <${T} problem=${n.problem} onRetry=${n.load} />`}function bn({planning:e,lacking:t,onOpen:s}){let a=fe(e.documentos),l=e.lineas.filter(n=>z(n)&&!be(n,a));return i`${l.length>0&&i`<${Ot} lines=${l} onOpen=${s} />`}
    ${t.length>0&&i`<${Dt} titles=${t} onOpen=${s} />`}`}var hn={ok:[o`En orden`,"ok"],falta:[o`Falta`,"bad"],distinto:[o`Distinto`,"warn"],pendiente_reinicio:[o`Espera un reinicio`,"warn"]},It={title:o`Preparación del ERP`,crumbs:[["#/devoluciones",o`Planificaciones`]]};function _c(){return oo(so).user?.superusuario!==!1?i`<${gn} />`:i`<${K} ...${It} />
    <${P} title=${o`Solo un superusuario del ERP puede preparar esto.`}>
      <p>${o`Si a las planificaciones les falta algo en el ERP, pida a un superusuario que entre aquí con su cuenta.`}</p>
    <//>`}function gn(){let e=q(lo,[]),[t,s]=v(null),[a,l]=v(null),[n,r]=v(!1),c=async()=>{r(!0),l(null);try{s(await co(!1)),re(o`Preparación terminada.`),e.load()}catch(d){l(R(d))}r(!1)};return i`<${K} ...${It}
      about=${o`Tablas, campos, el objeto y las consultas que las planificaciones necesitan en el ERP.`}>
      <button type="button" class=${e.data?.completo===!1?"main":""} disabled=${n} onClick=${c}>${n&&i`<span class="busy"></span>`}${o`Crear lo que falta`}</button>
    <//>
    ${n&&i`<${P}>${o`Puede tardar varios minutos. Nada se borra ni se acorta.`}<//>`}
    <${T} problem=${a} />
    ${t&&i`<${P} kind=${t.errores.length?"bad":"ok"} live>
      ${k(t.creados.length,o`definición creada`,o`definiciones creadas`)}, ${k(t.actualizados.length,o`cambiada`,o`cambiadas`)}, ${k(t.sinCambios,o`ya estaba`,o`ya estaban`)}.
      ${t.pendienteReinicio.length>0&&i`<p>${t.mensaje}</p>`}
      ${t.errores.length>0&&i`<ul>${t.errores.map(d=>i`<li>${d.nombre}: ${d.mensaje}</li>`)}</ul>`}
    <//>`}
    <${le} from=${e} what=${o`Revisando qué hay en el ERP…`}>${d=>i`<${vn} found=${d} />`}<//>`}function vn({found:e}){let t=[...e.tablas.map(a=>({kind:o`Tabla`,name:a.nombre,...a})),{kind:o`Objeto`,name:e.objeto.codigo,...e.objeto},...e.consultas.map(a=>({kind:o`Consulta`,name:a.nombre,detalle:o`versión ${a.versionInstalada??o`ninguna`} de ${a.version}`,...a})),...e.campos.map(a=>({kind:o`Campo`,name:`${a.tabla}.${a.nombre}`,...a}))],s=[{key:"kind",title:o`Qué`,cell:a=>a.kind},{key:"name",title:o`Nombre`,head:!0,cell:a=>i`<span class="mono">${a.name}</span>`},{key:"estado",title:o`Estado`,cell:a=>i`<${io} of=${a.estado} words=${hn} />`},{key:"detalle",title:o`Detalle`,cell:a=>a.detalle}];return i`<${P} kind=${e.completo?"ok":"warn"}>${e.completo?o`El ERP está preparado.`:o`Al ERP le falta algo de lo que sigue.`}<//>
    <section class="panel flush"><${E} caption=${o`Definiciones`} columns=${s} rows=${t} rowKey=${a=>`${a.kind} ${a.name}`} /></section>`}export{fs as NewPlanningPage,Ts as PlanningListPage,Pc as PlanningPage,_c as PreparationPage};
