/** Tests of the classes that verbs share for requests to a daemon. */
@NullMarked
package io.muster.cli.ask;

import org.jspecify.annotations.NullMarked;
