export interface Linear {
  (value: number): number;
  domain(ends: number[]): Linear;
  range(ends: number[]): Linear;
  nice(count: number): Linear;
  ticks(count: number): number[];
}
export interface Band {
  (name: string): number;
  bandwidth(): number;
  padding(share: number): Band;
  paddingInner(share: number): Band;
  paddingOuter(share: number): Band;
}
export interface Line {
  (values: (number | null)[]): string | null;
  defined(test: (value: number | null) => boolean): Line;
  x(place: (value: number | null, at: number) => number): Line;
  y(place: (value: number) => number): Line;
}
export function scaleLinear(): Linear;
export function scaleBand(names: string[], range: number[]): Band;
export function scalePoint(names: string[], range: number[]): Band;
export function line(): Line;
