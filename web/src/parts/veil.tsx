// What is behind a dialog. Radix has one of its own, which writes a style element to keep the body
// from scrolling; the hub's content policy refuses that, and our body does not scroll.
export function Veil() {
  return <div aria-hidden="true" className="fixed inset-0 z-30 bg-[rgb(0_0_0/0.4)]" />;
}
