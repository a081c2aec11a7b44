export function useCallback<T>(work: T, inputs: unknown[]): T;
export function useEffect(work: () => void | (() => void), inputs?: unknown[]): void;
export function useErrorBoundary(): [unknown, () => void];
export function useId(): string;
export function useLayoutEffect(work: () => void | (() => void), inputs?: unknown[]): void;
export function useMemo<T>(make: () => T, inputs: unknown[]): T;
export function useRef<T = any>(initial?: T): { current: T };
export function useState<T = any>(initial?: T | (() => T)): [T, (next: T | ((now: T) => T)) => void];
