// A mistake in one view does not take the frame with it.

import { Component } from 'react';
import type { ReactNode } from 'react';

import { Empty } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { subscribe } from '../router.tsx';
import { frameText } from '../text/frame.ts';
import { useText } from '../text/text.ts';

function Sorry({ error }: { error: Error }) {
  const t = useText(frameText);
  return (
    <Empty alone title={t.failed}>
      <p>{t.failed_why}</p>
      <p className="user-text font-mono text-xs">{error.message}</p>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </Empty>
  );
}

export class Guard extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  private unsubscribe = () => {};

  override componentDidMount() {
    this.unsubscribe = subscribe(this.forget);
  }

  override componentWillUnmount() {
    this.unsubscribe();
  }

  // Another place may be in order.
  private forget = () => this.state.error && this.setState({ error: undefined as never });

  override render() {
    return this.state.error ? <Sorry error={this.state.error} /> : this.props.children;
  }
}
