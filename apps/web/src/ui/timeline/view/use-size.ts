import { useEffect, useRef, useState } from 'react';

/** The size of an element's content in CSS pixels, updated as it changes; 0 before its first layout. */
export function useSize<Kind extends HTMLElement>() {
  const element = useRef<Kind>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, ...size };
}
