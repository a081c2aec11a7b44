export const Fragment: any;
export const h: any;
export const render: any;
